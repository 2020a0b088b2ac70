/** One step of a path into the authority's document; an index that is not stated, or `*`, is null: any. */
interface PathStep {
  readonly name: string;
  readonly index: number | null;
}

// The deepest value of the document is ten steps down.
const STEPS_MAX = 16;
const STEP = /^(?:[a-z]+:)?(\w+)((?:\[[^[\]]*\])*)$/i;
/** What stands for the whole document at the head of a path. */
const ROOT = /^(?:Invoice|Document)$/i;

/**
 * The paths of a finding, each within `Invoice[0]`. All notations that were seen are read: `$.Invoice[*].X[*]._`,
 * `Invoice.X AND Invoice.Y`, `#/Invoice[0].X`, `Invoice.X.Y`, `InvoiceLine[2]` (authority protocol 4.4, 6.1). A failure
 * of structure names its deepest element in the text. What cannot be read is left out.
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

/** Whether the paths lead into the supplier's party. */
export function isSupplierPath(steps: readonly PathStep[]): boolean {
  return /^AccountingSupplierParty$/i.test(steps.at(0)?.name ?? '');
}

/**
 * Recognises the builder's paths that lie at or below the given one: `InvoiceLine[0].Price[0].PriceAmount[0]._`. An
 * attribute is at its element, so that it is looked for by name only.
 */
export function buildPattern(steps: readonly PathStep[]): RegExp {
  const parts = steps.map(({ name, index }) => (name === '_' ? '_' : `${name}(?:\\[${index ?? '\\d+'}\\])?`));
  return new RegExp(`^${parts.join('\\.')}(?:$|\\.)`, 'i');
}
