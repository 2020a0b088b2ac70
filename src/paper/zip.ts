import { PassThrough, Readable } from 'node:stream';
import { ZipFile } from 'yazl';

/** A file in a ZIP. */
export interface ZipEntry {
  readonly path: string;
  readonly content: Buffer;
  /** Left out for what is compressed already. */
  readonly isCompressed?: boolean;
}

/** The first day that a ZIP can state: its bytes depend on its entries only, and on no time zone. */
const NO_TIME = new Date(1980, 0, 1);
const READABLE_BY_ALL = 0o100644;

/**
 * A ZIP that is written while it is read: an entry is asked for when the one before has been read, so that its size takes
 * no memory but for a line of its table of contents for each entry. When an entry fails, the stream ends with an error: a
 * short file never looks like a whole one.
 */
export function createZip(entries: AsyncIterable<ZipEntry>): Readable {
  const zip = new ZipFile();
  const output = new PassThrough();
  zip.outputStream.pipe(output);
  void writeEntries(zip, output, entries).catch((error: unknown) => {
    output.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  return output;
}

async function writeEntries(zip: ZipFile, output: PassThrough, entries: AsyncIterable<ZipEntry>): Promise<void> {
  for await (const entry of entries) {
    await writeEntry(zip, output, entry);
    if (output.destroyed) return;
  }
  zip.end();
}

/** Ends when the entry has been read, or the reader is gone. */
function writeEntry(zip: ZipFile, output: PassThrough, { path, content, isCompressed }: ZipEntry): Promise<void> {
  // The ZIP keeps what it was given until its end: not the content.
  let left: Buffer | null = content;
  const options = {
    mtime: NO_TIME,
    forceDosTimestamp: true,
    mode: READABLE_BY_ALL,
    size: content.length,
    compress: isCompressed !== true,
  };
  return new Promise((resolve) => {
    const end = (): void => {
      output.off('close', end);
      resolve();
    };
    output.once('close', end);
    zip.addReadStreamLazy(path, options, (give) => {
      const source = Readable.from(left === null ? [] : [left]);
      left = null;
      source.once('end', end);
      give(null, source);
    });
  });
}
