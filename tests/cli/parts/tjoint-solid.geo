SetFactory("OpenCASCADE");
// the walls of tjoint.geo 1 mm thick, mm
Box(1) = {0, -20, -0.5, 80, 40, 1};
Box(2) = {0, -0.5, -0.5, 80, 1, 30.5};
Point(201) = {39.5, 0, 0}; Point(202) = {39.5, 20, 0}; Point(203) = {39.5, 0, 25};
Line(201) = {201, 202}; Line(202) = {202, 203}; Line(203) = {203, 201};
Curve Loop(201) = {201, 202, 203}; Plane Surface(201) = {201};
Extrude {1, 0, 0} { Surface{201}; }
BooleanUnion{ Volume{1}; Delete; }{ Volume{2, 3}; Delete; }
Mesh.CharacteristicLengthMax = 1.6;
Mesh.CharacteristicLengthMin = 0.8;
Mesh.ElementOrder = 2;
Physical Volume("part") = {Volume{:}};
