// a palm and four fingers (mm): gmsh -2 hand.geo -o hand.stl -bin
SetFactory("OpenCASCADE");
Box(1) = {-40,-40,-10, 55,80,19};
For i In {0:3}
  y = -33 + 22*i;
  Cylinder(10+i) = {5, y, 0, 60, 0, 0, 8};
  Sphere(20+i) = {65, y, 0, 8};
EndFor
BooleanUnion(100) = { Volume{1}; Delete; }{ Volume{10:13,20:23}; Delete; };
Mesh.MeshSizeMax = 8; Mesh.MeshSizeMin = 4;
