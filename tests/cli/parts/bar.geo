SetFactory("OpenCASCADE");
// bar of the protocols, length 1
Box(1) = {0, 0, 0, 1, 0.1, 0.01};
Mesh.CharacteristicLengthMax = 0.03;
Mesh.CharacteristicLengthMin = 0.03;
e = 1e-6;
l() = Surface In BoundingBox{-e, -e, -e, e, 0.1+e, 0.01+e};
r() = Surface In BoundingBox{1-e, -e, -e, 1+e, 0.1+e, 0.01+e};
Physical Surface("root") = {l()};
Physical Surface("tip") = {r()};
Physical Volume("part") = {1};
