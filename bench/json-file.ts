import { rename, writeFile } from 'node:fs/promises';

/** Writes the file atomically, so that concurrent readers always find valid JSON. */
export async function writeJsonFile(file: string, content: object): Promise<void> {
  const unfinished = `${file}.${process.pid}.tmp`;
  await writeFile(unfinished, `${JSON.stringify(content, null, 2)}\n`);
  await rename(unfinished, file);
}
