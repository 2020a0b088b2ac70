import PdfDocument from 'pdfkit';
import { encode } from 'uqr';
import { MALAYSIA_OFFSET_MS } from '../common/malaysian-days.js';
import { type Fonts, loadFonts } from './fonts.js';
import type { Paper } from './paper-printer.js';
import { type PrintedDocument, type PrintedLine, type PrintedParty, readPrintedDocument } from './printed-document.js';

type Pdf = PDFKit.PDFDocument;

// In points (1/72 inch).
const MARGIN = 36;
const WIDTH = 595.28 - 2 * MARGIN;
const RIGHT = MARGIN + WIDTH;
/** The footer starts below this position. */
const BOTTOM = 841.89 - 58;
const GAP = 12;
const CELL_PADDING = 3;
const QR_SIDE = 92;
/** Quiet zone that scanners need around the code. */
const QR_BORDER_MODULES = 4;

const TEXT_SIZE = 8;
const SMALL_SIZE = 6.5;
const NAME_SIZE = 12;
const TITLE_SIZE = 15;

const INK = '#000000';
const DIM = '#555555';
const RULE = '#999999';
const SHADE = '#eeeeee';
const WARNING = '#b00020';

interface Column {
  readonly title: string;
  readonly width: number;
  readonly align: 'left' | 'right';
  readonly cell: (line: PrintedLine) => string;
}

const FIXED_COLUMNS_WIDTH = 375;
const COLUMNS: readonly Column[] = [
  { title: 'No.', width: 26, align: 'left', cell: ({ number }) => number },
  { title: 'Class', width: 30, align: 'left', cell: ({ classification }) => classification },
  { title: 'Description', width: WIDTH - FIXED_COLUMNS_WIDTH, align: 'left', cell: ({ description }) => description },
  { title: 'Quantity', width: 55, align: 'right', cell: ({ quantity }) => quantity },
  { title: 'Unit price', width: 60, align: 'right', cell: ({ unitPrice }) => unitPrice },
  { title: 'Discount', width: 48, align: 'right', cell: ({ discount }) => discount },
  { title: 'Amount', width: 62, align: 'right', cell: ({ amount }) => amount },
  { title: 'Tax rate', width: 44, align: 'right', cell: ({ taxRate }) => taxRate },
  { title: 'Tax', width: 50, align: 'right', cell: ({ tax }) => tax },
];

/**
 * Prints the document for its buyer. The output is deterministic: no value depends on the current time, and the PDF id
 * is derived from the title and the document's times.
 */
export function printPdf(paper: Paper): Promise<Buffer> {
  const printed = readPrintedDocument(paper.bytes);
  const pdf = new PdfDocument({
    size: 'A4',
    margin: 0,
    // Prevents a lookup of Helvetica, which is not embedded.
    font: '',
    bufferPages: true,
    lang: 'en',
    displayTitle: true,
    info: {
      Title: `${printed.typeName} ${printed.number}`,
      Author: printed.supplier.name,
      Creator: 'e-Invoice submission service',
      CreationDate: paper.validatedAt,
    },
  });
  const bytes = collectBytes(pdf);
  new Sheet(pdf, loadFonts()).print(printed, paper);
  pdf.end();
  return bytes;
}

function collectBytes(pdf: Pdf): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
    pdf.once('end', () => resolve(Buffer.concat(chunks)));
    pdf.once('error', reject);
  });
}

interface TextStyle {
  readonly size?: number;
  readonly isBold?: boolean;
  readonly color?: string;
  readonly align?: 'left' | 'right';
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** Writes a document from top to bottom, starting a new page when the next part does not fit. */
class Sheet {
  private y = MARGIN;

  constructor(
    private readonly pdf: Pdf,
    private readonly fonts: Fonts,
  ) {}

  print(printed: PrintedDocument, paper: Paper): void {
    this.printHead(printed, paper);
    this.printParties(printed);
    this.printLines(printed.lines);
    this.printTotals(printed);
    this.printValidation(printed, paper);
    this.printFooters(printed, paper);
  }

  private printHead(printed: PrintedDocument, paper: Paper): void {
    const { supplier, typeName, typeCode, number, version, issuedAt } = printed;
    this.drawQrCode(paper.validationUrl, { x: RIGHT - QR_SIDE, y: MARGIN, width: QR_SIDE });
    const width = WIDTH - QR_SIDE - GAP;
    this.writeDown(supplier.name, width, { size: NAME_SIZE, isBold: true });
    this.writeDown(supplier.address, width, { color: DIM });
    this.y += GAP;
    this.writeDown(`e-${typeName} ${number}`, width, { size: TITLE_SIZE, isBold: true });
    for (const warning of listWarnings(paper)) this.writeDown(warning, width, { isBold: true, color: WARNING });
    this.y = Math.max(this.y, MARGIN + QR_SIDE) + GAP;
    this.writeFacts(
      [
        ['e-Invoice type', `${typeCode} ${typeName}`],
        ['e-Invoice version', version],
        ['Date and time', issuedAt === null ? '' : formatTime(issuedAt)],
        ['Unique identifier', paper.uuid],
        ...printed.facts,
      ],
      { x: MARGIN, y: this.y, width: WIDTH },
    );
    this.y += GAP;
  }

  private printParties({ supplier, buyer }: PrintedDocument): void {
    const width = (WIDTH - GAP) / 2;
    const top = this.y;
    const ends = [
      this.printParty('Supplier', supplier, { x: MARGIN, y: top, width }),
      this.printParty('Buyer', buyer, { x: MARGIN + width + GAP, y: top, width }),
    ];
    this.y = Math.max(...ends) + GAP;
  }

  private printParty(heading: string, { name, address, facts }: PrintedParty, box: Box): number {
    this.y = box.y;
    this.writeIn(heading, box, { color: DIM });
    this.writeIn(name, { ...box, y: this.y }, { isBold: true });
    if (address !== '') this.writeIn(address, { ...box, y: this.y });
    this.writeFacts(facts, { ...box, y: this.y });
    return this.y;
  }

  private printLines(lines: readonly PrintedLine[]): void {
    this.printLineHead();
    for (const line of lines) {
      const height = this.measureRow(line);
      if (this.y + height > BOTTOM) {
        this.addPage();
        this.printLineHead();
      }
      this.printRow((column) => column.cell(line), height);
    }
    this.y += GAP;
  }

  private printLineHead(): void {
    const height = TEXT_SIZE + 3 * CELL_PADDING;
    this.pdf.rect(MARGIN, this.y, WIDTH, height).fill(SHADE);
    this.printRow(({ title }) => title, height, true);
  }

  private printRow(cell: (column: Column) => string, height: number, isBold = false): void {
    let x = MARGIN;
    for (const column of COLUMNS) {
      const box = { x: x + CELL_PADDING, y: this.y + CELL_PADDING, width: column.width - 2 * CELL_PADDING };
      this.write(cell(column), box, { align: column.align, isBold, size: TEXT_SIZE });
      x += column.width;
    }
    this.y += height;
    this.pdf.moveTo(MARGIN, this.y).lineTo(RIGHT, this.y).lineWidth(0.5).stroke(RULE);
  }

  private measureRow(line: PrintedLine): number {
    const heights = COLUMNS.map(({ cell, width }) => this.measure(cell(line), width - 2 * CELL_PADDING));
    return Math.max(...heights) + 2 * CELL_PADDING;
  }

  /** Prints taxes on the left and totals on the right, both on the same page. */
  private printTotals({ taxes, totals }: PrintedDocument): void {
    const lineHeight = this.measure('1', WIDTH) + CELL_PADDING;
    this.makeRoom(lineHeight * Math.max(taxes.length + 1, totals.length));
    const top = this.y;
    this.writeTaxRow(['Tax type', 'Taxable amount', 'Tax'], top, true);
    taxes.forEach(({ name, taxable, tax }, index) =>
      this.writeTaxRow([name, taxable, tax], top + (index + 1) * lineHeight),
    );
    totals.forEach(([label, value], index) => {
      const style = { isBold: index === totals.length - 1 };
      const y = top + index * lineHeight;
      this.write(label, { x: RIGHT - 205, y, width: 110 }, style);
      this.write(value, { x: RIGHT - 95, y, width: 95 - CELL_PADDING }, { ...style, align: 'right' });
    });
    this.y = top + lineHeight * Math.max(taxes.length + 1, totals.length) + GAP;
  }

  private writeTaxRow([name, taxable, tax]: readonly [string, string, string], y: number, isBold = false): void {
    this.write(name, { x: MARGIN, y, width: 140 }, { isBold });
    this.write(taxable, { x: MARGIN + 140, y, width: 80 }, { isBold, align: 'right' });
    this.write(tax, { x: MARGIN + 220, y, width: 70 }, { isBold, align: 'right' });
  }

  private printValidation({ signature }: PrintedDocument, { validatedAt, validationUrl }: Paper): void {
    const facts: [string, string][] = [
      ['Validated', formatTime(validatedAt)],
      ['Validation link', validationUrl],
      ['Digital signature', signature ?? 'none: a document of version 1.0 is not signed'],
    ];
    const box = { x: MARGIN, width: WIDTH };
    this.makeRoom(this.measureFacts(facts, box));
    this.writeFacts(facts, { ...box, y: this.y });
  }

  private printFooters({ typeName, number }: PrintedDocument, paper: Paper): void {
    const { count } = this.pdf.bufferedPageRange();
    for (let page = 0; page < count; page += 1) {
      this.pdf.switchToPage(page);
      const style = { size: SMALL_SIZE, color: DIM };
      const text = `${typeName} ${number}, ${paper.uuid}. This document is a visual presentation of the e-Invoice.`;
      const warnings = listWarnings(paper).join(' ');
      this.write(text, { x: MARGIN, y: BOTTOM + 10, width: WIDTH - 80 }, style);
      this.write(
        `Page ${page + 1} of ${count}`,
        { x: RIGHT - 80, y: BOTTOM + 10, width: 80 },
        { ...style, align: 'right' },
      );
      if (page > 0 && warnings !== '') {
        this.write(warnings, { x: MARGIN, y: MARGIN / 2, width: WIDTH }, { color: WARNING, isBold: true });
      }
    }
  }

  private writeFacts(facts: readonly (readonly [label: string, value: string])[], { x, y, width }: Box): void {
    this.y = y;
    for (const [label, value] of facts) {
      this.write(label, { x, y: this.y, width: FACT_LABEL_WIDTH }, { color: DIM });
      this.writeIn(value, { x: x + FACT_LABEL_WIDTH, y: this.y, width: width - FACT_LABEL_WIDTH });
    }
  }

  private measureFacts(facts: readonly (readonly [label: string, value: string])[], { width }: Omit<Box, 'y'>): number {
    return facts.reduce((sum, [, value]) => sum + this.measure(value, width - FACT_LABEL_WIDTH) + LEADING, 0);
  }

  private drawQrCode(text: string, { x, y, width }: Box): void {
    const { data, size } = encode(text, { ecc: 'M', border: QR_BORDER_MODULES });
    const side = width / size;
    data.forEach((row, rowIndex) =>
      row.forEach((isDark, columnIndex) => {
        if (isDark) this.pdf.rect(x + columnIndex * side, y + rowIndex * side, side, side);
      }),
    );
    this.pdf.fill(INK);
    this.pdf.link(x, y, width, width, text);
  }

  private writeDown(text: string, width: number, style: TextStyle = {}): void {
    this.writeIn(text, { x: MARGIN, y: this.y, width }, style);
  }

  /** Writes text and moves below it. */
  private writeIn(text: string, box: Box, style: TextStyle = {}): void {
    this.write(text, box, style);
    this.y = box.y + this.measure(text, box.width, style) + LEADING;
  }

  private write(text: string, { x, y, width }: Box, style: TextStyle = {}): void {
    this.setStyle(style);
    const options = { width, align: style.align ?? 'left', ...chooseFeatures(text) };
    this.pdf.fillColor(style.color ?? INK).text(text, x, y, options);
  }

  private measure(text: string, width: number, style: TextStyle = {}): number {
    this.setStyle(style);
    return this.pdf.heightOfString(text, { width, ...chooseFeatures(text) });
  }

  private setStyle({ size = TEXT_SIZE, isBold = false }: TextStyle): void {
    const font: unknown = isBold ? this.fonts.bold : this.fonts.regular;
    // pdfkit accepts a parsed font, although its types do not allow it. Parsing again would take a third of a second.
    this.pdf.font(font as PDFKit.Mixins.PDFFontSource, size);
  }

  private makeRoom(height: number): void {
    if (this.y + height > BOTTOM) this.addPage();
  }

  private addPage(): void {
    this.pdf.addPage();
    this.y = MARGIN;
  }
}

/** Requests narrow quotation marks, which are otherwise as wide as a Chinese character. */
function chooseFeatures(text: string): { features?: PDFKit.Mixins.OpenTypeFeatures[] } {
  return /[‘’“”]/.test(text) ? { features: ['pwid', 'kern'] } : {};
}

const FACT_LABEL_WIDTH = 84;
/** Line spacing of the facts. */
const LEADING = 1.5;

function listWarnings({ environment, isCancelled, cancelledAt }: Paper): string[] {
  return [
    ...(isCancelled ? [`CANCELLED${cancelledAt === null ? '' : ` on ${formatTime(cancelledAt)}`}`] : []),
    ...(environment === 'production' ? [] : ['SANDBOX: a test, not a tax document']),
  ];
}

const TIME = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** Formats as `22 Nov 2026, 03:45:10 (UTC+8)`. */
function formatTime(instant: Date): string {
  return `${TIME.format(instant.getTime() + MALAYSIA_OFFSET_MS)} (UTC+8)`;
}
