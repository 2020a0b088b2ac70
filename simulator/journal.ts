import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Change } from './changes.js';
import { claimFolder } from './folder-claim.js';
import { parseStrictly } from './parse-json.js';
import { listChanges, restore } from './restore.js';
import type { World } from './world.js';

const header = JSON.stringify({ simulatorJournal: 1 });
// A rewrite takes seconds, so the file must exceed both limits first.
const rewriteBytesMin = 256_000_000;
const rewriteGrowth = 2;
const chunkCharacters = 4_000_000;

/** The journal cannot be written, so that changes would be lost. */
export class JournalError extends Error {}

/**
 * Persists a world in a folder. Each call that changes state appends one line before its response is sent. Does not fsync each line. A killed process loses no data, but a machine crash can lose the last few seconds.
 */
export class Journal {
  private bytes = 0;
  private bytesWhenRewritten = 0;
  private descriptor: number;
  /** Lines that could not be written yet. */
  private unwritten = '';

  private constructor(
    private readonly file: string,
    private readonly world: World,
    private readonly release: () => void,
  ) {}

  /**
   * Restores the world from the folder and records its changes from then on.
   * @throws Error if another process uses the folder or the journal cannot be read
   */
  static async open(folder: string, world: World): Promise<Journal> {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const release = claimFolder(folder);
    try {
      const file = path.join(folder, 'journal.jsonl');
      if (existsSync(file)) await readJournal(file, world);
      const journal = new Journal(file, world, release);
      try {
        journal.rewrite();
      } catch (error) {
        throw unwritable(file, error);
      }
      journal.takeChanges = world.noteChanges();
      return journal;
    } catch (error) {
      release();
      throw error;
    }
  }

  private takeChanges: () => readonly Change[] = () => [];

  /** @throws JournalError if the changes cannot be written; the next call retries */
  write(): void {
    const changes = this.takeChanges();
    if (changes.length > 0) this.unwritten += `${JSON.stringify(changes)}\n`;
    if (this.unwritten === '') return;
    try {
      this.bytes += append(this.descriptor, this.unwritten);
    } catch (error) {
      // Removes a partial line, which would make all later lines unreadable.
      ftruncateSync(this.descriptor, this.bytes);
      throw unwritable(this.file, error);
    }
    this.unwritten = '';
    if (this.bytes > rewriteBytesMin && this.bytes > rewriteGrowth * this.bytesWhenRewritten) this.compact();
  }

  close(): void {
    closeSync(this.descriptor);
    this.release();
  }

  /** Rewrites the file without outdated changes. Without disk space for a second file, continues in the first one. */
  private compact(): void {
    try {
      this.rewrite();
    } catch {
      this.bytesWhenRewritten = this.bytes;
    }
  }

  /** Writes the complete state to a new file, which replaces the old one once it is on disk. */
  private rewrite(): void {
    const draft = `${this.file}.new`;
    rmSync(draft, { force: true });
    const descriptor = openSync(draft, 'a', 0o600);
    let bytes = 0;
    let text = `${header}\n`;
    for (const change of listChanges(this.world)) {
      text += `${JSON.stringify([change])}\n`;
      if (text.length < chunkCharacters) continue;
      bytes += append(descriptor, text);
      text = '';
    }
    bytes += append(descriptor, text);
    fsyncSync(descriptor);
    renameSync(draft, this.file);
    if (this.descriptor !== undefined) closeSync(this.descriptor);
    this.descriptor = descriptor;
    this.bytes = bytes;
    this.bytesWhenRewritten = bytes;
  }
}

function unwritable(file: string, error: unknown): JournalError {
  return new JournalError(`The simulator cannot write to ${file}: ${getErrorMessage(error)}`, { cause: error });
}

async function readJournal(file: string, world: World): Promise<void> {
  const lines = createInterface({ input: createReadStream(file, { encoding: 'utf8' }), crlfDelay: Infinity });
  let number = 0;
  let waiting: string | null = null;
  for await (const line of lines) {
    if (waiting !== null) readLine({ file, number, line: waiting }, world);
    number += 1;
    waiting = line;
  }
  // Ignores a last line without a line break: the process was killed before it sent the response.
  if (waiting !== null && (await endsWithLine(file))) readLine({ file, number, line: waiting }, world);
}

function readLine({ file, number, line }: { file: string; number: number; line: string }, world: World): void {
  if (number === 1 && line === header) return;
  try {
    if (number === 1) throw new Error('it is of another version');
    for (const change of parseStrictly(line) as Change[]) restore(world, change);
  } catch (error) {
    throw new Error(
      `The simulator cannot read line ${number} of ${file} (${getErrorMessage(error)}). ` +
        'To start with an empty state, move that file away',
      { cause: error },
    );
  }
}

async function endsWithLine(file: string): Promise<boolean> {
  const { size } = statSync(file);
  let last = '';
  for await (const chunk of createReadStream(file, { encoding: 'latin1', start: Math.max(0, size - 1) }))
    last = String(chunk);
  return last === '\n';
}

/** Appends the whole text and returns its length in bytes. */
function append(descriptor: number, text: string): number {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written);
  return bytes.length;
}

function getErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
