SetFactory("OpenCASCADE");
// quarter ring with a round section that has a bore: a curved finger, mm
Torus(1) = {0, 0, 0, 40, 6, Pi/2};
Torus(2) = {0, 0, 0, 40, 3, Pi/2};
BooleanDifference(3) = { Volume{1}; Delete; }{ Volume{2}; Delete; };
Mesh.CharacteristicLengthMax = 5;
Mesh.CharacteristicLengthMin = 3.5;
Mesh.HighOrderOptimize = 2;
Mesh.Optimize = 1;
e = 1e-2;
r() = Surface In BoundingBox{30-e, -e, -8, 50+e, e, 8};
t() = Surface In BoundingBox{-e, 30-e, -8, e, 50+e, 8};
Physical Surface("root") = {r()};
Physical Surface("tip") = {t()};
Physical Volume("finger") = {3};
