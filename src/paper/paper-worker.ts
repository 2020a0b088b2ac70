import type { Paper } from './paper-printer.js';
import { printPdf } from './print-pdf.js';

/** Entry point of the worker thread of paper-printer.ts. */
export function print(paper: Paper): Promise<Uint8Array> {
  return printPdf(paper);
}
