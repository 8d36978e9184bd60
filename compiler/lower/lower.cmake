add_library(lmc_lower STATIC Builder.cpp BuilderOps.cpp Schedule.cpp Lower.cpp LowerExpr.cpp LowerAlgebra.cpp LowerNewton.cpp LowerPowers.cpp LowerStumpff.cpp ShareMemory.cpp Sums.cpp)
target_link_libraries(lmc_lower PUBLIC lmc_tape lmc_sym lmc_options)
