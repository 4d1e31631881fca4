# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The list of features in the order in which they add to a program, with how often each is drawn.
What offers steps stands before what draws them."""

from features import (assembly, calls, classes, copies, data, device_runtime, handwritten, hopper, images,
                      instructions, large, libraries, limits, matrices, memory, mistakes, pointers, project, shared,
                      system, templates)

FEATURES = [
    ("globals", 0.70, data.add_globals),
    ("constants", 0.60, data.add_constants),
    ("managed", 0.08, data.add_managed),
    ("shared static", 0.50, shared.add_static),
    ("shared file scope", 0.35, shared.add_file_scope),
    ("shared dynamic", 0.30, shared.add_dynamic),
    ("local arrays", 0.45, memory.add_local_arrays),
    ("alloca", 0.08, memory.add_alloca),
    ("jump tables", 0.20, memory.add_jump_tables),
    ("arithmetic", 0.40, memory.add_arithmetic),
    ("printf", 0.25, system.add_printf),
    ("malloc", 0.10, system.add_malloc),
    ("assert", 0.12, system.add_assert),
    ("barriers", 0.25, system.add_barriers),
    ("warp", 0.20, system.add_warp),
    ("atomics", 0.15, system.add_atomics),
    ("matrix", 0.10, system.add_matrix),
    ("async", 0.07, hopper.add_async),
    ("ptx weak", 0.12, assembly.add_weak),
    ("ptx common", 0.08, assembly.add_common),
    ("ptx alias", 0.08, assembly.add_alias),
    ("ptx extern", 0.10, assembly.add_extern),
    ("ptx data only", 0.08, assembly.add_data_only),
    ("ptx unified", 0.015, assembly.add_unified),
    ("empty file", 0.06, assembly.add_empty),
    ("mistake", 0.04, mistakes.add_mistake),
    ("template functions", 0.35, templates.add_functions),
    ("template variables", 0.15, templates.add_variables),
    ("differing inlines", 0.12, templates.add_differing),
    ("function tables", 0.25, pointers.add_tables),
    ("function arguments", 0.15, pointers.add_arguments),
    ("virtual functions", 0.20, pointers.add_virtual),
    ("block reductions", 0.10, project.add_reductions),
    ("containers", 0.10, project.add_containers),
    ("lambdas", 0.12, project.add_lambdas),
    ("class templates", 0.10, project.add_class_templates),
    ("policies", 0.08, project.add_policies),
    ("layers", 0.12, project.add_layers),
    ("recursion", 0.20, calls.add_recursion),
    ("mutual recursion", 0.12, calls.add_mutual_recursion),
    ("calls", 1.00, calls.add_calls),
    ("dead code", 0.30, calls.add_dead_code),
    ("dynamic parallelism", 0.06, device_runtime.add_launches),
    ("kernels", 0.97, calls.add_kernels),
    ("clusters", 0.07, hopper.add_clusters),
    ("family specific", 0.05, hopper.add_family_specific),
    ("image objects", 0.10, images.add_objects),
    ("image references", 0.10, images.add_references),
    ("independent samplers", 0.04, images.add_samplers),
    ("cooperative groups", 0.03, system.add_cooperative_groups),
    ("ptx directives", 0.07, assembly.add_directives),
]

# What came later, and from which program on: numbers in docs/ speak of the first 400 as they are.
LATER_FROM = 401
LATER_FEATURES = [
    ("weak kernels", 0.35, copies.add_weak_kernels),
    ("copies of tables", 0.40, copies.add_tables),
    ("copies with other constants", 0.30, copies.add_differing_constants),
    ("local names", 0.30, copies.add_local_names),
]

# What only programs from 701 on have.
LATEST_FROM = 701
LATEST_FEATURES = [
    ("diamonds", 0.20, classes.add_diamonds),
    ("erased types", 0.20, classes.add_erased),
    ("inline variables", 0.40, classes.add_inline_variables),
    ("local statics", 0.40, classes.add_local_statics),
    ("records", 0.30, classes.add_records),
    ("weak and strong", 0.25, classes.add_weak_and_strong),
    ("deep stacks", 0.12, large.add_deep_stacks),
    ("long names", 0.15, large.add_long_names),
    ("kernel values", 0.15, large.add_kernel_values),
    ("dynamic types", 0.20, large.add_dynamic_types),
    ("instructions", 0.25, instructions.add_instructions),
    ("instruction functions", 0.25, instructions.add_instruction_functions),
    ("ptx prototypes", 0.12, handwritten.add_prototypes),
    ("ptx branches", 0.12, handwritten.add_branches),
    ("ptx inner variables", 0.12, handwritten.add_inner_variables),
    ("ptx weak entries", 0.12, handwritten.add_weak_entries),
    ("ptx unusual data", 0.15, handwritten.add_unusual_data),
    ("ptx alias chains", 0.12, handwritten.add_alias_chains),
    ("library", 0.12, libraries.add_library),
    ("real launches", 0.05, libraries.add_real_launches),
    ("large parameters", 0.20, large.add_large_parameters),
    ("many kernels", 0.12, large.add_many_kernels),
    ("bounds", 0.20, large.add_bounds),
]

# What only programs from 1001 on have: what fills a target, and rare shapes.
NEWEST_FROM = 1001
NEWEST_FEATURES = [
    ("full constants", 0.15, limits.add_full_constants),
    ("padded constants", 0.20, limits.add_padded_constants),
    ("full shared", 0.15, limits.add_full_shared),
    ("compiler constants", 0.08, limits.add_compiler_constants),
    ("aligned dynamic", 0.25, limits.add_aligned_dynamic),
    ("driver names", 0.20, limits.add_driver_names),
    ("opaque parameters", 0.20, limits.add_opaque_parameters),
    ("local kernels", 0.15, limits.add_local_kernels),
    ("many images", 0.08, limits.add_many_images),
    ("matrices", 0.30, matrices.add_matrices),
]
