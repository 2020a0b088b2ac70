import { type SimulatorResponse, htmlResponse } from './responses.js';
import { getStatus } from './documents.js';
import type { World } from './world.js';

/** Renders the public page that the QR code of a valid document links to. */
export function sharePage(world: World, uuid: string, longId: string): SimulatorResponse {
  const document = world.archive.find(uuid);
  if (!document || longId === '' || document.outcome?.longId !== longId) {
    return htmlResponse(404, page('Document not found', []));
  }
  return htmlResponse(
    200,
    page(`e-Invoice ${document.number}`, [
      ['Status', getStatus(document)],
      ['UUID', document.uuid],
      ['Supplier', `${document.supplierName} (${document.supplierTin})`],
      ['Buyer', `${document.buyerName} (${document.buyerTin})`],
      ['Issued', new Date(document.issuedAt).toISOString()],
      ['Total payable', document.totals.payable.toFixed(2)],
    ]),
  );
}

function page(title: string, rows: [string, string][]): string {
  const table = rows.map(([name, value]) => `<tr><th>${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>`);
  const heading = escapeHtml(title);
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${heading}</title></head>` +
    `<body><p>MyInvois simulator</p><h1>${heading}</h1><table>${table.join('')}</table></body></html>`
  );
}

const htmlEscapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => htmlEscapes[character] ?? character);
}
