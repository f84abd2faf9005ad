// parameters of solids by the law of the file
#if ORTHO
#define SOLID_PAR  pl_ortho_par
#define SOLID_NPAR ORTHO_NPAR
#define SAMPLE_PAR pl_sample_ortho
#elif HYPER
#define SOLID_PAR  pl_hyper_par
#define SOLID_NPAR HYPER_NPAR
#define SAMPLE_PAR pl_sample_hyper
#else
#define SOLID_PAR  pl_solid_par
#define SOLID_NPAR 3
#define SAMPLE_PAR pl_sample_solid
#endif
