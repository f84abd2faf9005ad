SetFactory("OpenCASCADE");
// L-bracket, a hole in each leg, mm
Box(1) = {0, 0, 0, 40, 20, 4};
Box(2) = {0, 0, 0, 4, 20, 30};
Cylinder(3) = {28, 10, -1, 0, 0, 6, 5};
Cylinder(4) = {-1, 10, 20, 6, 0, 0, 4};
BooleanUnion(5) = { Volume{1}; Delete; }{ Volume{2}; Delete; };
BooleanDifference(6) = { Volume{5}; Delete; }{ Volume{3,4}; Delete; };
Mesh.CharacteristicLengthMax = 4.5;
Mesh.CharacteristicLengthMin = 3;
Mesh.Optimize = 1;
e = 1e-3;
s() = Surface In BoundingBox{40-e, -e, -e, 40+e, 20+e, 4+e};
t() = Surface In BoundingBox{-e, -e, 30-e, 4+e, 20+e, 30+e};
Physical Surface("wall") = {s()};
Physical Surface("top") = {t()};
Physical Volume("bracket") = {6};
