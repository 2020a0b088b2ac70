// The extensions of the dispatcher, one line each. examples/extensions/ has two to copy.

// oxlint-disable-next-line unicorn/require-module-specifiers -- a module even while there is none
export {};
