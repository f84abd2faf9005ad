#include "cli.h"

#define HELP                                                                                       \
  { "help", 'h', NULL, "show this help" }
#define JSON                                                                                       \
  { "json", 0, NULL, "print the result as JSON on standard output" }
#define QUIET                                                                                      \
  { "quiet", 'q', NULL, "print errors only" }
#define ROOT                                                                                       \
  { "root", 0, "DIR", "read no file beyond this folder; links are resolved" }
#define SET                                                                                        \
  { "set", 's', "PATH=VALUE", "override a value of the scene; may be given several times" }
// options of all studies
#define STUDY                                                                                      \
  {"cases", 'n', "N", "number of cases; with --sobol of rows (uncertainty: 128)"},                 \
      {"seed", 0, "N", "of random numbers (default: 0; Sobol points of sweeps: as they are)"},     \
      {"figure", 0, "NAME", "ANALYSIS.FIGURE for table and report (default: all); repeatable"},    \
      {"curve", 0, "TABLE", "keep and draw this table of all cases, e.g. response; repeatable"},   \
      {"only", 0, "NAME", "run this analysis (and the one it starts from)"}, SET, ROOT,            \
      {"jobs", 'j', "N", "processes side by side (default: processors / threads)"},                \
      {"threads", 't', "N", "threads of each case (default: 1)"},                                  \
      {"limit", 0, "SECONDS", "a case that takes longer is ended, and failed"},                    \
      {"output", 'o', "DIR", "result folder (default: SCENE's name and the command's)"},           \
      {"table", 0, "FILE", "write the table there, too"},                                          \
      {"keep", 0, NULL, "keep the result folders of all cases, in DIR/cases"},                     \
      {"resume", 0, NULL, "go on with an interrupted or killed study in the folder"}, JSON, QUIET, \
      HELP

const cli_command cli_commands[] = {
    {.name = "check",
     .args = "SCENE",
     .text = "parse and check a scene, and say what it holds",
     .detail =
         "Reads the scene and its meshes, reports up to twenty problems with file, line and "
         "remedy, and\n"
         "prints what it understood, in SI and in units that read well: sizes, masses, materials, "
         "groups and\n"
         "sets with their nodes, supports, drives, loads, parameters and analyses.",
     .min_args = 1,
     .max_args = 1,
     .run = cmd_check,
     .option = {SET, ROOT, JSON, QUIET, HELP}},
    {.name = "run",
     .args = "SCENE",
     .text = "run the analyses of a scene and write the results",
     .detail = "Results go to a folder: summary.json, one CSV per curve, VTU/PVD for ParaView, GLB "
               "animations,\n"
               "SVG plots and one self-contained report.html. SCENE is a file, a folder with a "
               "scene.yaml, or\n"
               "gallery/NAME. Ctrl-C keeps what is there; --resume goes on with an interrupted "
               "or killed run.",
     .min_args = 1,
     .max_args = 1,
     .blas = 1,
     .run = cmd_run,
     .option = {{"output", 'o', "DIR", "result folder (default: SCENE's name with .results)"},
                SET,
                ROOT,
                {"only", 0, "NAME", "run this analysis (and the one it starts from)"},
                {"threads", 't', "N", "threads (default: all processors)"},
                {"resume", 0, NULL,
                 "continue an interrupted run from the checkpoints in the folder"},
                {"checkpoint", 0, "SECONDS",
                 "wall clock between checkpoints (default: 5; 0: at every step)"},
                JSON,
                QUIET,
                HELP}},
    {.name = "explore",
     .args = "SCENE",
     .text = "what parameters do to a steady motion",
     .detail = "Prints the derivatives of watched amplitudes by all parameters; with --set or "
               "--along also the\n"
               "amplitudes at new values, predicted to first order and solved. Frequency and "
               "harmonics are those\n"
               "of the scene's first explore, design or periodic analysis unless they are given. "
               "Example:\n"
               "pliant explore leg.yaml --set m1=2g --along amplitude:tip=50%",
     .min_args = 1,
     .max_args = 1,
     .blas = 1,
     .run = cmd_explore,
     .option = {{"set", 's', "NAME=VALUE",
                 "new value of a parameter; with a path as in run, an override of the scene"},
                {"along", 'a', "amplitude:NODE=CHANGE",
                 "change along the gradient of an amplitude, by a part of it or a length"},
                ROOT,
                {"frequency", 'f', "FREQUENCY", "base frequency of drives and loads, e.g. 2.5Hz"},
                {"harmonics", 0, "N", "harmonics of the motion"},
                {"output", 'o', "DIR", "result folder (default: SCENE's name with .explore)"},
                {"threads", 't', "N", "threads (default: all processors)"},
                JSON,
                QUIET,
                HELP}},
    {.name = "sweep",
     .args = "SCENE",
     .text = "run a scene with many values, and tell its figures in one table",
     .detail =
         "--vary NAME=VALUES: NAME is a parameter of the scene or a path as --set takes it; VALUES "
         "are a list\n"
         "(0.1,0.3), a range with a count (1..10:20; 1..10:20,log by ratios), or for other designs "
         "than the\n"
         "factorial one a range alone (1..10). Cases run side by side in processes of their own; "
         "one that fails is\n"
         "a row with its reason. The folder gets table.csv, cases.jsonl, sweep.json and "
         "report.html. Ctrl-C keeps\n"
         "what is done; --resume goes on. Example:\n"
         "pliant sweep beam.yaml --vary 'k=1..10 N/m:20,log' --vary mu=0.1,0.3",
     .min_args = 1,
     .max_args = 1,
     .blas = 1,
     .run = cmd_sweep,
     .option = {{"vary", 0, "NAME=VALUES", "values of one input; given once for each"},
                {"design", 0, "NAME", "factorial (default), latin (a hypercube), sobol or random"},
                STUDY}},
    {.name = "uncertainty",
     .args = "SCENE",
     .text = "means, bands and Sobol indices of figures for random inputs",
     .detail =
         "--given NAME=KIND:NUMBERS: NAME is a parameter of the scene or a path as --set takes it; "
         "normal:MEAN,SD,\n"
         "lognormal:MEAN,SD (of the value itself), uniform:LO..HI, loguniform:LO..HI or "
         "triangular:LO,MODE,HI, with\n"
         "units as in the scene; SD may be a percentage. With --sobol there are cases * (inputs + "
         "2) runs, and\n"
         "first-order and total indices of all figures. The folder gets table.csv, "
         "statistics.csv, sobol.csv,\n"
         "uncertainty.json and report.html. Example:\n"
         "pliant uncertainty beam.yaml --given 'k=normal:10 N/m,5 %' --given mu=uniform:0.1..0.3 "
         "--cases 200",
     .min_args = 1,
     .max_args = 1,
     .blas = 1,
     .run = cmd_uncertainty,
     .option = {{"given", 0, "NAME=KIND:NUMBERS", "distribution of one input; once for each"},
                {"sobol", 0, NULL, "Sobol indices of all figures"},
                {"design", 0, "NAME", "points: random (default), latin (a hypercube) or sobol"},
                STUDY}},
    {.name = "sensitivity",
     .args = "SCENE",
     .text = "what each parameter does to the results, one at a time, beside exact derivatives",
     .detail = "Runs the scene with each of its parameters at either end of its range (from min to "
               "max, or 10 %\n"
               "about its value where it has no bounds) while the others stay, and prints the "
               "figures there, the slope\n"
               "between, and the exact derivative at the scene's own values where there is one. "
               "Example:\n"
               "pliant sensitivity wing.yaml --step 5% --by E --figure static.displacement_m",
     .min_args = 1,
     .max_args = 1,
     .blas = 1,
     .run = cmd_sensitivity,
     .option = {SET,
                ROOT,
                {"step", 0, "PART", "change values by this part of them, e.g. 5%, within bounds"},
                {"by", 0, "NAME", "this parameter; may be given several times (default: all)"},
                {"figure", 0, "NAME",
                 "figures whose names begin so, as in summary.json behind the analysis's name"},
                {"only", 0, "NAME", "figures of this analysis"},
                {"output", 'o', "DIR", "result folder (default: SCENE's name with .sensitivity)"},
                {"threads", 't', "N", "threads (default: all processors)"},
                JSON,
                QUIET,
                HELP}},
    {.name = "validate",
     .args = "[PROTOCOL]",
     .text = "compare the models with known mechanics",
     .detail = "Runs a protocol (default: all), compares every model with the master curve, which "
               "is computed from\n"
               "its governing equations, and prints a table of verdicts. `pliant list protocols` "
               "names protocols and\n"
               "models. A folder gets report.html, summary.json, plots and tables. Example: a few "
               "points of one model,\n"
               "pliant validate cantilever --model rod --at 0.37,12,4500 --csv points.csv",
     .min_args = 0,
     .max_args = 1,
     .blas = 1,
     .run = cmd_validate,
     .option = {{"model", 'm', "NAME", "this model only"},
                {"resolution", 'r', "N", "cells along the length (default: the model's own)"},
                {"quick", 0, NULL, "few points and coarse meshes: less than a minute for all"},
                {"at", 0, "LIST", "these points instead of the protocol's, e.g. 0.37,12,4500"},
                {"nu", 0, "NU", "Poisson's ratio (default: the protocol's own)"},
                {"csv", 0, "FILE",
                 "write the points of one model (default: the protocol's first) to a table"},
                {"output", 'o', "DIR",
                 "result folder (default: PROTOCOL.validation; none with --at or --csv)"},
                {"threads", 't', "N", "threads (default: all processors)"},
                JSON,
                QUIET,
                HELP}},
    {.name = "studio",
     .args = "[SCENE]",
     .text = "see, run and design scenes in the browser",
     .detail =
         "Opens a page for the folder of SCENE, which is a file, a folder, gallery/NAME or a "
         "result "
         "folder (default:\nthe working folder). The page comes from this command: it needs no "
         "network and can be reached from this\nmachine only. The printed address holds a token; "
         "who "
         "has it may read and write files in the folder.\nCtrl-C stops running jobs and keeps what "
         "there is. docs/studio-security.md tells more.",
     .min_args = 0,
     .max_args = 1,
     .blas = 1,
     .run = cmd_studio,
     .option = {{"port", 'p', "N", "port to listen at (default: any that is free)"},
                {"bind", 0, "ADDRESS", "listen at this address, e.g. for other machines"},
                {"no-browser", 0, NULL, "print the address only"},
                {"threads", 't', "N", "threads of a job (default: all processors)"},
                {"replay", 0, "FILE",
                 "do again what a studio.jsonl tells, without a browser, and compare the figures"},
                QUIET,
                HELP}},
    {.name = "convert",
     .args = "IN OUT",
     .text = "change meshes and results into other formats",
     .detail =
         "IN is a mesh (msh, vtu, inp, obj, stl, ply, npz), a scene, whose mesh is written with "
         "its groups and sets,\n"
         "or a result folder. OUT is a mesh (msh, vtu, inp, obj, stl, ply, glb, npz); results "
         "become npz, which\n"
         "numpy.load opens. What OUT cannot hold is told. docs/convert.md tells more. Examples:\n"
         "pliant convert part.msh part.inp --dim 3\n"
         "pliant convert wing.results wing.npz",
     .min_args = 2,
     .max_args = 2,
     .run = cmd_convert,
     .option = {{"from", 0, "FORMAT", "what IN is, whatever its name ends in"},
                {"to", 0, "FORMAT", "what OUT is to be, whatever its name ends in"},
                {"unit", 0, "UNIT", "what lengths in IN are measured in, e.g. mm"},
                {"to-unit", 0, "UNIT", "what lengths in OUT are to be measured in"},
                {"body", 0, "NAME", "this body of a scene only"},
                {"dim", 0, "N",
                 "keep cells of this dimension; groups of others become sets of "
                 "vertices"},
                {"order", 0, "N", "order of cells: 1 drops the vertices on edges, 2 adds them"},
                {"msh", 0, "VERSION", "of MSH: 2.2 or 4.1 (default)"},
                {"ascii", 0, NULL, "write STL, PLY and MSH as text"},
                ROOT,
                QUIET,
                HELP}},
    {.name = "new",
     .args = "KIND",
     .text = "print a commented starter scene",
     .detail = "`pliant list starters` names the kinds. Example: pliant new shell > wing.yaml",
     .min_args = 1,
     .max_args = 1,
     .run = cmd_new,
     .option = {HELP}},
    {.name = "list",
     .args = "[WHAT]",
     .text = "list the gallery, element kinds, analyses, objectives, protocols, starter scenes",
     .detail = "WHAT is one of: gallery elements analyses objectives protocols starters paths (all "
               "values that\n--set can name).",
     .min_args = 0,
     .max_args = 1,
     .run = cmd_list,
     .option = {JSON, HELP}},
    {.name = "reference",
     .args = "",
     .text = "print the scene reference as Markdown",
     .detail = "Made from the table that parses scenes.",
     .min_args = 0,
     .max_args = 0,
     .run = cmd_reference,
     .option = {HELP}},
    {.name = "schema",
     .args = "",
     .text = "print a JSON Schema of scenes, by which editors complete them",
     .detail = "Made from the table that parses scenes; docs/editors.md tells how to use it.\n"
               "Example: pliant schema > scene.schema.json",
     .min_args = 0,
     .max_args = 0,
     .run = cmd_schema,
     .option = {HELP}},
    {.name = "man",
     .args = "",
     .text = "print the manual page (roff)",
     .detail = "Example: pliant man | man -l -",
     .min_args = 0,
     .max_args = 0,
     .run = cmd_man,
     .option = {HELP}},
    {.name = "completion",
     .args = "SHELL",
     .text = "print shell completion (bash, zsh, fish)",
     .detail = "Packages install these scripts. Example: source <(pliant completion bash)",
     .min_args = 1,
     .max_args = 1,
     .run = cmd_completion,
     .option = {HELP}},
};
const int cli_command_count = sizeof cli_commands / sizeof cli_commands[0];
