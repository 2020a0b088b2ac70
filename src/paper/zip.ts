import { PassThrough, Readable } from 'node:stream';
import { ZipFile } from 'yazl';

export interface ZipEntry {
  readonly path: string;
  readonly content: Buffer;
  /** False for content that is already compressed. */
  readonly isCompressed?: boolean;
}

/** The earliest date in a ZIP. A constant date makes the bytes depend only on the entries. */
const NO_TIME = new Date(1980, 0, 1);
const READABLE_BY_ALL = 0o100644;

/**
 * Streams a ZIP while it is read. Requests each entry after the previous one has been read, so that memory use does not
 * depend on the size of the ZIP. If an entry fails, the stream fails too, so that a truncated file is never mistaken
 * for a complete ZIP.
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

/** Resolves when the entry has been read or the reader has disconnected. */
function writeEntry(zip: ZipFile, output: PassThrough, { path, content, isCompressed }: ZipEntry): Promise<void> {
  // yazl keeps its arguments until the end of the ZIP, so the content is released here.
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
