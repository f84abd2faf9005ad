// angle with a fillet, mm; prisms by extrusion
Point(1)={0,0,0,3}; Point(2)={40,0,0,3}; Point(3)={40,6,0,3}; Point(4)={10,6,0,3};Point(5)={6,10,0,2};Point(6)={6,30,0,3};Point(7)={0,30,0,3};Point(8)={10,10,0,3};
Line(1)={1,2};Line(2)={2,3};Line(3)={3,4};Circle(4)={4,8,5};Line(5)={5,6};Line(6)={6,7};Line(7)={7,1};
Curve Loop(1)={1:7}; Plane Surface(1)={1};
e[] = Extrude {0,0,12} { Surface{1}; Layers{3}; Recombine; };
Physical Volume("part")={e[1]};
Physical Surface("held")={e[7]};
Physical Surface("tip")={e[3]};
Mesh.ElementOrder = 2;
Mesh.SecondOrderIncomplete = 1;
Mesh.SaveGroupsOfNodes = 1;
