interface PathStep {
  readonly name: string;
  readonly index: number | null;
}

// The deepest value of the document is ten steps below the root.
const STEPS_MAX = 16;
const STEP = /^(?:[a-z]+:)?(\w+)((?:\[[^[\]]*\])*)$/i;
const ROOT = /^(?:Invoice|Document)$/i;

/**
 * Returns the paths of a finding within `Invoice[0]`. Accepts the authority's notations (protocol 4.4, 6.1):
 * `$.Invoice[*].X[*]._`, `Invoice.X AND Invoice.Y`, `#/Invoice[0].X`, `Invoice.X.Y` and `InvoiceLine[2]`. The text of a
 * structural error contains its deepest element. Skips unreadable paths.
 */
export function parsePaths(finding: { readonly path: string | null; readonly message: string }): PathStep[][] {
  const deepest = finding.message.match(/#\/[\w.[\]/]+/g)?.at(-1);
  const paths = deepest === undefined ? (finding.path ?? '').split(/\sAND\s|[,;\n]/i) : [deepest];
  return paths.map(parseSteps).filter((steps) => steps !== null);
}

function parseSteps(path: string): PathStep[] | null {
  const names = path
    .trim()
    .replace(/^[$#]/, '')
    .split(/[./]+/)
    .filter((name) => name !== '');
  const steps: PathStep[] = [];
  for (const name of names.slice(0, STEPS_MAX)) {
    const step = parseStep(name);
    if (step === null) return null;
    steps.push(step);
  }
  while (steps.length > 0 && ROOT.test(steps[0].name)) steps.shift();
  return names.length === 0 ? null : steps;
}

function parseStep(text: string): PathStep | null {
  const [, name, indexes] = STEP.exec(text) ?? [];
  if (name === undefined) return null;
  const index = /\[(\d+)\]$/.exec(indexes)?.[1];
  return { name, index: index === undefined ? null : Number(index) };
}

export function isSupplierPath(steps: readonly PathStep[]): boolean {
  return /^AccountingSupplierParty$/i.test(steps.at(0)?.name ?? '');
}

/** Matches paths at or below the given path. An attribute matches through its element. */
export function buildPattern(steps: readonly PathStep[]): RegExp {
  const parts = steps.map(({ name, index }) => (name === '_' ? '_' : `${name}(?:\\[${index ?? '\\d+'}\\])?`));
  return new RegExp(`^${parts.join('\\.')}(?:$|\\.)`, 'i');
}
