import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { create, type Font } from 'fontkit';

/** Noto Sans in two weights, with Latin letters and all Chinese characters of Unicode's main block. */
export interface Fonts {
  readonly regular: Font;
  readonly bold: Font;
}

let fonts: Fonts | null = null;

/** Reads the fonts once per thread, because reading takes longer than printing a document. */
export function loadFonts(): Fonts {
  fonts ??= { regular: readFont('NotoSansHans-Regular.otf'), bold: readFont('NotoSansHans-Bold.otf') };
  return fonts;
}

function readFont(file: string): Font {
  // The package exports only this file.
  const main = createRequire(import.meta.url).resolve('@embedpdf/fonts-sc');
  const font = create(readFileSync(path.join(path.dirname(main), '../fonts', file)));
  if (!('glyphForCodePoint' in font)) throw new Error(`${file} is a collection, not a font`);
  return font;
}
