// spring clip: a strip bent to a U with a lip, mm
Point(1) = {0, 0, 0}; Point(2) = {30, 0, 0}; Point(3) = {30, 0, 8}; Point(4) = {30, 0, 16};
Point(5) = {6, 0, 14}; Point(6) = {0, 0, 18}; Point(7) = {38, 0, 8};
Line(1) = {1, 2}; Circle(2) = {2, 3, 7}; Circle(5) = {7, 3, 4}; Line(3) = {4, 5}; Line(4) = {5, 6};
a[] = Extrude {0, 12, 0} { Curve{1, 2, 5, 3, 4}; };
Mesh.CharacteristicLengthMax = 4;
Mesh.CharacteristicLengthMin = 3;
e = 1e-3;
l() = Curve In BoundingBox{-e, -e, -e, e, 12+e, e};
r() = Curve In BoundingBox{-e, -e, 18-e, e, 12+e, 18+e};
Physical Curve("root") = {l()};
Physical Curve("tip") = {r()};
Physical Surface("part") = {a[1], a[5], a[9], a[13], a[17]};
