// A shallow spherical cap, radius 30 and height 6.  Make the mesh:  gmsh -2 dome.geo -o dome.stl -bin
// STL has no units and no names: the scene says millimetres and picks nodes by place.
SetFactory("OpenCASCADE");
R = (30^2 + 6^2)/(2*6);                             // radius of the sphere: 78
Point(1) = {0, 0, 6 - R};
Point(2) = {0, 0, 6};
Point(3) = {30, 0, 0};
Circle(1) = {2, 1, 3};
Extrude{{0, 0, 1}, {0, 0, 0}, 2*Pi}{ Curve{1}; }
Mesh.MeshSizeMin = 3.3;
Mesh.MeshSizeMax = 3.3;
