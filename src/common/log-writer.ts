import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

// Lines are written together, because one write per line costs a request more than its rules do. A killed process loses
// at most the lines of the last tenth of a second.
const BATCH_BYTES = 4_096;
const BATCH_MS = 100;
/** Memory for lines that wait to be written; further lines are dropped. */
const WAITING_BYTES_MAX = 10_000_000;
const FLUSH_MS_MAX = 1_000;
const STANDARD_OUTPUT = 1;
const LINE_END = 0x0a;

/** Reports how many bytes were written. */
type Done = (error: Error | null | undefined, written: number) => void;

interface LogWriterOptions {
  /** Where the lines go instead of standard output. */
  readonly file?: string;
  readonly onDrop: (lines: number) => void;
}

/**
 * Writes log lines without blocking or ending the process. Lines that cannot be written are dropped
 * (docs/monitoring.md#logs).
 */
export class LogWriter {
  private readonly fd: number;
  private readonly isPipe: boolean;
  private readonly onDrop: (lines: number) => void;
  private lines: string[] = [];
  /** Of the lines that wait and of those that are being written. */
  private waitingBytes = 0;
  private isWriting = false;
  /** A failed write has left a part of a line in the file. */
  private endsInLine = false;
  private timer: NodeJS.Timeout | null = null;
  private onIdle: (() => void)[] = [];

  constructor({ file, onDrop }: LogWriterOptions) {
    this.fd = file === undefined ? STANDARD_OUTPUT : openLogFile(file);
    const stat = fs.fstatSync(this.fd);
    this.isPipe = file === undefined && (stat.isFIFO() || stat.isSocket());
    this.onDrop = onDrop;
  }

  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.waitingBytes + bytes > WAITING_BYTES_MAX) {
      this.onDrop(1);
      return;
    }
    this.lines.push(line);
    this.waitingBytes += bytes;
    if (this.waitingBytes >= BATCH_BYTES) this.writeBatch();
    else this.writeSoon();
  }

  /** Writes the waiting lines, and gives up after a short time. */
  async flush(): Promise<void> {
    this.writeBatch();
    if (!this.isWriting) return;
    const idle = new Promise<void>((resolve) => this.onIdle.push(resolve));
    await Promise.race([idle, wait(FLUSH_MS_MAX)]);
  }

  /** For the end of a process that could not wait for `flush`: tries once to write the waiting lines. */
  flushSync(): void {
    const text = this.lines.join('');
    this.waitingBytes -= Buffer.byteLength(text);
    try {
      fs.writeSync(this.fd, text);
    } catch {
      // The process ends: nothing reads the metric any more.
    }
    this.lines = [];
  }

  private writeSoon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.writeBatch();
    }, BATCH_MS).unref();
  }

  private writeBatch(): void {
    if (this.isWriting || this.lines.length === 0) return;
    const text = (this.endsInLine ? '\n' : '') + this.lines.join('');
    this.lines = [];
    this.isWriting = true;
    this.writeBytes(Buffer.from(text));
  }

  private writeBytes(bytes: Buffer): void {
    const done: Done = (error, written) => {
      const rest = bytes.subarray(written);
      if (written > 0) this.endsInLine = bytes[written - 1] !== LINE_END;
      this.waitingBytes -= error ? bytes.length : written;
      if (error) this.onDrop(countLines(rest));
      else if (rest.length > 0) {
        this.writeBytes(rest);
        return;
      }
      this.endBatch();
    };
    if (this.isPipe) process.stdout.write(bytes, (error) => done(error, error ? 0 : bytes.length));
    else fs.write(this.fd, bytes, (error, written) => done(error, error ? 0 : written));
  }

  private endBatch(): void {
    this.isWriting = false;
    const isFlushed = this.onIdle.length > 0;
    if (this.lines.length === 0) {
      for (const resolve of this.onIdle.splice(0)) resolve();
    } else if (isFlushed || this.waitingBytes >= BATCH_BYTES) this.writeBatch();
    else this.writeSoon();
  }
}

function openLogFile(file: string): number {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  return fs.openSync(file, 'a', 0o600);
}

function countLines(bytes: Buffer): number {
  return bytes.reduce((count, byte) => count + (byte === LINE_END ? 1 : 0), 0);
}

/**
 * Lets standard output and standard error fail without ending the process. Node then also opens pipes so that a write to
 * one that is full does not block.
 */
export function guardStandardStreams(): void {
  for (const stream of [process.stdout, process.stderr]) {
    if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
  }
}

function ignore(): void {
  // What could not be written is lost.
}

/** Writes to standard error, and ignores a failure. */
export function writeToStandardError(text: string): void {
  guardStandardStreams();
  try {
    process.stderr.write(text);
  } catch {
    // The disk is full, or the stream is closed.
  }
}
