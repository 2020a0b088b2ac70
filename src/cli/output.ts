/** Where a command writes to: the process's own streams, or a test's. */
export interface CliOutput {
  out(text: string): void;
  error(text: string): void;
}

export const PROCESS_OUTPUT: CliOutput = {
  out: (text) => void process.stdout.write(text),
  error: (text) => void process.stderr.write(text),
};

/** Where a command reads from: the process's standard input, or a test's. */
export type CommandInput = NodeJS.ReadableStream;

/** Injection token of the input. */
export const COMMAND_INPUT = Symbol('CommandInput');

/** What a command found or did: `json` for programs, `text` for people. */
export interface Report {
  readonly json: object;
  readonly text: string;
  /** Said on the error output after the report, which then ends the command with 1. */
  readonly failure?: string;
}

/** Writes what a command found or did, as the caller wants it. */
export interface ReportPrinter {
  print(report: Report): void;
}

/** Injection token of the printer. */
export const REPORT_PRINTER = Symbol('ReportPrinter');

export type Cell = string | number | Date | null;

const COLUMN_GAP = '  ';

export type Column<Row> = readonly [title: string, cellOf: (row: Row) => Cell];

/** Columns padded to their widest cell, numbers to the right; `empty` when there are no rows. */
export function formatTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[], empty: string): string {
  if (rows.length === 0) return empty;
  const padded = columns.map(([title, toCell]) => paddedColumn(title, rows.map(toCell)));
  return ['', ...rows]
    .map((_, line) =>
      padded
        .map((column) => column[line])
        .join(COLUMN_GAP)
        .trimEnd(),
    )
    .join('\n');
}

function paddedColumn(title: string, cells: readonly Cell[]): string[] {
  const isNumeric = cells.every((cell) => typeof cell === 'number');
  const texts = [title, ...cells.map(formatCell)];
  const width = Math.max(...texts.map(countCharacters));
  return texts.map((text) => {
    const padding = ' '.repeat(width - countCharacters(text));
    return isNumeric ? padding + text : text + padding;
  });
}

/** One `label  value` line for each pair. */
export function formatLines(pairs: readonly (readonly [label: string, value: Cell])[]): string {
  const width = Math.max(...pairs.map(([label]) => label.length));
  return pairs.map(([label, value]) => `${label.padEnd(width)}${COLUMN_GAP}${formatCell(value)}`).join('\n');
}

function countCharacters(text: string): number {
  return Array.from(text).length;
}

function formatCell(cell: Cell): string {
  if (cell === null) return '-';
  return cell instanceof Date ? cell.toISOString() : String(cell);
}
