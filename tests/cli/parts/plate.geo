SetFactory("OpenCASCADE");
// plate with a hole off its middle, mm
Rectangle(1) = {0, 0, 0, 120, 60};
Disk(2) = {75, 26, 0, 14};
BooleanDifference(3) = { Surface{1}; Delete; }{ Surface{2}; Delete; };
Mesh.CharacteristicLengthMax = 9;
Mesh.CharacteristicLengthMin = 7;
e = 1e-3;
l() = Curve In BoundingBox{-e, -e, -e, e, 60+e, e};
r() = Curve In BoundingBox{120-e, -e, -e, 120+e, 60+e, e};
Physical Curve("root") = {l()};
Physical Curve("tip") = {r()};
Physical Surface("part") = {3};
