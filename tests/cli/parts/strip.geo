SetFactory("OpenCASCADE");
// strip of the protocols, length 1
Rectangle(1) = {0, 0, 0, 1, 0.1};
Mesh.CharacteristicLengthMax = 0.03;
Mesh.CharacteristicLengthMin = 0.03;
e = 1e-6;
l() = Curve In BoundingBox{-e, -e, -e, e, 0.1+e, e};
r() = Curve In BoundingBox{1-e, -e, -e, 1+e, 0.1+e, e};
Physical Curve("root") = {l()};
Physical Curve("tip") = {r()};
Physical Surface("part") = {1};
