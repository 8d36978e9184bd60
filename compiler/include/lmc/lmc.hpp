/// @file
/// The whole host interface for C++: models of mechanical systems on manifolds, compiled at run time.
///
///     const lmc::Compilation c = lmc::compileFile("top.lie");
///     if (!c) { std::cerr << c.format(); return 1; }
///     lmc::Workspace w = c.model->workspace();
///     w.step(1e-3, 1000);
///     const lmc::View R = w.view("R");
#pragma once

#include "lmc/Base.hpp"
#include "lmc/Compile.hpp"
#include "lmc/Diagnostic.hpp"
#include "lmc/Ensemble.hpp"
#include "lmc/Error.hpp"
#include "lmc/Library.hpp"
#include "lmc/Linearization.hpp"
#include "lmc/Model.hpp"
#include "lmc/Run.hpp"
#include "lmc/Trajectory.hpp"
#include "lmc/Workspace.hpp"
