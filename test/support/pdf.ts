import { inflateSync } from 'node:zlib';
import jsqr from 'jsqr';
import { extractText, getDocumentProxy } from 'unpdf';

export async function readPages(pdf: Uint8Array): Promise<string[]> {
  // The parser takes ownership of the bytes, so it gets a copy.
  const document = await getDocumentProxy(Uint8Array.from(pdf));
  const { text } = await extractText(document, { mergePages: false });
  return text;
}

const PIXELS_PER_POINT = 4;
const SIDE_POINTS_MAX = 200;

/** Draws the QR code of a PDF and decodes it as a scanner does. Returns null if there is none. */
export function readQrCode(pdf: Buffer): string | null {
  const [squares] = listContents(pdf)
    .map(findSquares)
    .filter((found) => found.length > 100);
  if (squares === undefined) return null;
  const [left, top] = [0, 1].map((index) => Math.min(...squares.map((square) => square[index])) - 10);
  const side = SIDE_POINTS_MAX * PIXELS_PER_POINT;
  const pixels = new Uint8ClampedArray(side * side * 4).fill(255);
  for (const [x, y, width] of squares) fillSquare(pixels, side, { x: x - left, y: y - top, width });
  return jsqr.default(pixels, side, side)?.data ?? null;
}

function listContents(pdf: Buffer): string[] {
  const text = pdf.toString('latin1');
  return [...text.matchAll(/\/Filter \/FlateDecode\n>>\nstream\n/g)].flatMap((match) => {
    const start = match.index + match[0].length;
    try {
      return [inflateSync(pdf.subarray(start, text.indexOf('\nendstream', start))).toString('latin1')];
    } catch {
      return [];
    }
  });
}

type Square = readonly [x: number, y: number, width: number];

function findSquares(content: string): Square[] {
  return [...content.matchAll(/^([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+) re$/gm)].flatMap(([, x, y, width, height]) =>
    width === height ? [[Number(x), Number(y), Number(width)] as const] : [],
  );
}

function fillSquare(pixels: Uint8ClampedArray, side: number, square: { x: number; y: number; width: number }): void {
  const [fromX, fromY] = [square.x, square.y].map((value) => Math.round(value * PIXELS_PER_POINT));
  const [toX, toY] = [square.x, square.y].map((value) => Math.round((value + square.width) * PIXELS_PER_POINT));
  for (let y = fromY; y < toY; y += 1) {
    for (let x = fromX; x < toX; x += 1) pixels.fill(0, (y * side + x) * 4, (y * side + x) * 4 + 3);
  }
}
