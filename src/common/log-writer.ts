import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

// Writing each line separately would cost more than processing a request. A killed process loses at most the last tenth
// of a second.
const BATCH_BYTES = 4_096;
const BATCH_MS = 100;
const WAITING_BYTES_MAX = 10_000_000;
const FLUSH_MS_MAX = 1_000;
const STANDARD_OUTPUT = 1;
const LINE_END = 0x0a;

type Done = (error: Error | null | undefined, written: number) => void;

interface LogWriterOptions {
  readonly file?: string;
  readonly onDrop: (lines: number) => void;
}

/** Writes log lines without blocking. Drops lines that cannot be written (docs/monitoring.md#logs). */
export class LogWriter {
  private readonly fd: number;
  private readonly isPipe: boolean;
  private readonly onDrop: (lines: number) => void;
  private lines: string[] = [];
  private waitingBytes = 0;
  private isWriting = false;
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

  async flush(): Promise<void> {
    this.writeBatch();
    if (!this.isWriting) return;
    const idle = new Promise<void>((resolve) => this.onIdle.push(resolve));
    await Promise.race([idle, wait(FLUSH_MS_MAX)]);
  }

  /** Writes the remaining lines when a process exits without `flush`. */
  flushSync(): void {
    const text = this.lines.join('');
    this.waitingBytes -= Buffer.byteLength(text);
    try {
      fs.writeSync(this.fd, text);
    } catch {
      // Ignores the error because the process is exiting.
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

/** Ignores write errors of standard output and standard error. Node then opens pipes in non-blocking mode. */
export function guardStandardStreams(): void {
  for (const stream of [process.stdout, process.stderr]) {
    if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
  }
}

function ignore(): void {
  // A failed write must not end the process.
}

export function writeToStandardError(text: string): void {
  guardStandardStreams();
  try {
    process.stderr.write(text);
  } catch {
    // The disk may be full or the stream closed.
  }
}
