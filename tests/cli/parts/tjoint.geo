SetFactory("OpenCASCADE");
// a web on a flange, and a gusset between them: edges with three and four triangles, mm
Rectangle(1) = {0, -20, 0, 80, 40};
Point(101) = {0, 0, 0}; Point(102) = {80, 0, 0}; Point(103) = {80, 0, 30}; Point(104) = {0, 0, 30};
Line(101) = {101, 102}; Line(102) = {102, 103}; Line(103) = {103, 104}; Line(104) = {104, 101};
Curve Loop(101) = {101, 102, 103, 104}; Plane Surface(101) = {101};
Point(201) = {40, 0, 0}; Point(202) = {40, 20, 0}; Point(203) = {40, 0, 25};
Line(201) = {201, 202}; Line(202) = {202, 203}; Line(203) = {203, 201};
Curve Loop(201) = {201, 202, 203}; Plane Surface(201) = {201};
f() = BooleanFragments{ Surface{1}; Delete; }{ Surface{101, 201}; Delete; };
Mesh.CharacteristicLengthMax = 8;
Mesh.CharacteristicLengthMin = 6;
e = 1e-3;
l() = Curve In BoundingBox{-e, -20-e, -e, e, 20+e, 30+e};
r() = Curve In BoundingBox{80-e, -20-e, -e, 80+e, 20+e, e};
Physical Curve("root") = {l()};
Physical Curve("tip") = {r()};
Physical Surface("part") = {f()};
