import { rename, writeFile } from 'node:fs/promises';

/** Writes the whole file in one step: who reads it at any moment finds valid JSON. */
export async function writeJsonFile(file: string, content: object): Promise<void> {
  const unfinished = `${file}.${process.pid}.tmp`;
  await writeFile(unfinished, `${JSON.stringify(content, null, 2)}\n`);
  await rename(unfinished, file);
}
