// middle surfaces of a channel with a wall across, mm
SetFactory("OpenCASCADE");
If (!Exists(h)) h = 8; EndIf
w = 40; hh = 25; L = 120; xs = 70;
Rectangle(1) = {0, 0, 0, L, w};
Rectangle(2) = {0, 0, 0, L, hh}; Rotate{{1,0,0},{0,0,0},Pi/2}{Surface{2};}
Rectangle(3) = {0, 0, 0, L, hh}; Rotate{{1,0,0},{0,0,0},Pi/2}{Surface{3};} Translate{0,w,0}{Surface{3};}
Rectangle(4) = {0, 0, 0, hh, w}; Rotate{{0,1,0},{0,0,0},-Pi/2}{Surface{4};} Translate{xs,0,0}{Surface{4};}
s() = BooleanFragments{ Surface{1,2,3,4}; Delete; }{};
root() = Curve In BoundingBox {-1e-3,-1e-3,-1e-3,1e-3,w+1e-3,hh+1e-3};
tip() = Curve In BoundingBox {L-1e-3,-1e-3,-1e-3,L+1e-3,w+1e-3,1e-3};
Physical Surface("skin") = Surface{:};
Physical Curve("root") = {root()};
Physical Curve("tip") = {tip()};
Mesh.MeshSizeMax = h; Mesh.MeshSizeMin = h;
Mesh.ElementOrder = 2;
