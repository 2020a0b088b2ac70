/** One figure of the run, or several that are measured together. */
export interface Part {
  readonly name: string;
  measure(): Promise<Figure>;
}

export interface Figure {
  /** For people: some lines, or a table. */
  readonly text: string;
  /** The same for programs, with each round. */
  readonly json: object;
}

export interface Outcome {
  /** By the name of their part. */
  readonly figures: Readonly<Record<string, object>>;
  /** Messages of the parts that failed, by name. */
  readonly failures: Readonly<Record<string, string>>;
}

export interface RunOptions {
  /** Aborted when the program is to end: no further part begins. */
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
  /** Prints what is known, at the moment when it is known. */
  readonly print: (text: string) => void;
  /** Keeps what is known so far. */
  readonly save: (outcome: Outcome) => Promise<void>;
}

/** Runs the parts one after the other. A part that fails is reported, and takes nothing from the others. */
export async function runParts(parts: readonly Part[], options: RunOptions): Promise<Outcome> {
  let outcome: Outcome = { figures: {}, failures: {} };
  // Fails before the first measurement if the result cannot be saved.
  await options.save(outcome);
  for (const part of parts) {
    options.signal.throwIfAborted();
    options.progress(part.name);
    outcome = await withPart(outcome, part, options);
    await options.save(outcome);
  }
  return outcome;
}

async function withPart(outcome: Outcome, part: Part, { signal, print }: RunOptions): Promise<Outcome> {
  try {
    const { text, json } = await part.measure();
    print(text);
    return { ...outcome, figures: { ...outcome.figures, [part.name]: json } };
  } catch (error) {
    // While the program ends, its processes do too: that is no failure of the part.
    signal.throwIfAborted();
    const message = error instanceof Error ? error.message : String(error);
    print(`${part.name} failed: ${message}`);
    return { ...outcome, failures: { ...outcome.failures, [part.name]: message } };
  }
}

/** Runs the work when it is first asked for; later callers get the same result, or the same failure. */
export function lazily<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  return () => (running ??= work());
}
