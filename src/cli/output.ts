export interface CliOutput {
  out(text: string): void;
  error(text: string): void;
}

export const PROCESS_OUTPUT: CliOutput = {
  out: (text) => void process.stdout.write(text),
  error: (text) => void process.stderr.write(text),
};

export type CommandInput = NodeJS.ReadableStream;

export const COMMAND_INPUT = Symbol('CommandInput');

/** The result of a command: `json` for programs, `text` for people. */
export interface Report {
  readonly json: object;
  readonly text: string;
  /** Written to standard error after the report; the command then exits with 1. */
  readonly failure?: string;
}

export interface ReportPrinter {
  print(report: Report): void;
}

export const REPORT_PRINTER = Symbol('ReportPrinter');

export type Cell = string | number | Date | null;

const COLUMN_GAP = '  ';

export type Column<Row> = readonly [title: string, cellOf: (row: Row) => Cell];

/** Formats rows as aligned columns; returns `empty` without rows. */
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

/** Formats one `label  value` line per pair. */
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
