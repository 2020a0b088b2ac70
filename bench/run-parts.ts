import { rename, writeFile } from 'node:fs/promises';

/** One benchmark of the run. */
export interface Part {
  readonly name: string;
  measure(): Promise<Figure>;
}

export interface Figure {
  /** Lines or a table for humans. */
  readonly text: string;
  /** The same results as JSON, including each round. */
  readonly json: object;
}

export interface Outcome {
  /** Results by part name. */
  readonly figures: Readonly<Record<string, object>>;
  /** Error messages of failed parts by part name. */
  readonly failures: Readonly<Record<string, string>>;
}

export interface RunOptions {
  /** Aborted when the program must stop. No further part then starts. */
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
  readonly print: (text: string) => void;
  /** Saves the outcome so far. */
  readonly save: (outcome: Outcome) => Promise<void>;
}

/** Runs the parts in order. The failure of one part does not affect the others. */
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
    // Stopping the program also stops the processes of the part, which is not a failure of the part.
    signal.throwIfAborted();
    const message = error instanceof Error ? error.message : String(error);
    print(`${part.name} failed: ${message}`);
    return { ...outcome, failures: { ...outcome.failures, [part.name]: message } };
  }
}

/** Returns a function that runs the work once. Later calls return the same result or failure. */
export function lazily<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  return () => (running ??= work());
}

/** Writes the file atomically, so that concurrent readers always find valid JSON. */
export async function writeJsonFile(file: string, content: object): Promise<void> {
  const unfinished = `${file}.${process.pid}.tmp`;
  await writeFile(unfinished, `${JSON.stringify(content, null, 2)}\n`);
  await rename(unfinished, file);
}
