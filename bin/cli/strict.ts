/** `--strict`: what took no effect makes a run fail that would have passed. */

/** The report of an argument without effect, as an error. */
export const STRICT = '+uvm_set_severity=*,CMDLINE_UNUSED,UVM_WARNING,UVM_ERROR';
