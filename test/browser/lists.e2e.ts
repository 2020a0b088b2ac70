import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertBulkJob } from '../support/bulk-jobs.js';
import { type DemoOrganisation, fillDemo, blockQueue } from './demo-organisation.js';
import { Site } from './site.js';

let site: Site;
let demo: DemoOrganisation;
let jobId: string;
beforeAll(async () => {
  site = await Site.start({ environments: ['sandbox', 'production'] });
  demo = await fillDemo(site.service);
  await blockQueue(site.service, demo.tenantId);
  jobId = await insertBulkJob(site.service, demo.tenantId);
}, 400_000);
afterAll(() => site.stop());

/** Pages with the lists that each must contain. */
const PAGES = {
  owner: {
    '/o/$tenantId/sandbox/needs-action': [],
    '/o/$tenantId/sandbox/transactions': ['documents'],
    '/o/$tenantId/sandbox/batches': ['batches'],
    '/o/$tenantId/sandbox/bulk': ['bulk jobs'],
    '/o/$tenantId/sandbox/bulk/$jobId': ['documents of the job'],
    '/o/$tenantId/keys': ['API keys'],
    '/o/$tenantId/members': ['Members', 'Open invitations'],
    '/o/$tenantId/credits': ['Orders', 'Statement'],
    '/o/$tenantId/audit': ['Audit log'],
    '/account': ['Sessions'],
  },
  operator: {
    '/operator/queue': ['Waiting documents and cancellations', 'Call budgets', 'Events that a consumer cannot handle'],
    '/operator/organisations': ['Organisations'],
    '/operator/verifications?status=all': ['Verifications'],
    '/operator/orders': ['Orders'],
    '/operator/in-doubt': ['Submissions in doubt'],
    '/operator/authority': ['Latest submissions'],
    '/operator/audit': ['Audit log'],
  },
} as const;

interface SeenList {
  readonly label: string;
  readonly rows: number;
  /** Column headers. */
  readonly headers: readonly string[];
  /** Label and text of each value in the first row, or `none` without a label. */
  readonly names: readonly string[];
  /** Texts that are cut off or extend beyond the window or the list. */
  readonly cut: readonly string[];
}

/** Reads the lists of the open page. */
const READ_LISTS = `[...document.querySelectorAll('main section:has(> table)')].map((frame) => {
  const rightOf = (part) => part.getBoundingClientRect().right;
  const edge = Math.min(window.innerWidth, rightOf(frame)) + 0.5;
  const isVisible = ({ offsetWidth, offsetHeight }) => offsetWidth > 1 && offsetHeight > 1;
  const isClipped = (part) =>
    getComputedStyle(part).overflowX !== 'visible' && part.scrollWidth > part.clientWidth + 1;
  const cells = [...(frame.querySelector('tbody tr')?.querySelectorAll('td') ?? [])];
  return {
    label: frame.getAttribute('aria-label'),
    rows: frame.querySelectorAll('tbody tr').length,
    headers: [...frame.querySelectorAll('th')].map((head) => head.textContent),
    names: cells.map((cell) => {
      const { display, content } = getComputedStyle(cell, '::before');
      return display === 'none' ? 'none' : (/^"(.*?)"/.exec(content)?.[1] ?? 'none');
    }),
    cut: [...frame.querySelectorAll('td, td *, tr > th')]
      .filter((part) => part.closest('thead') === null || getComputedStyle(part.closest('thead')).position !== 'absolute')
      .filter((part) => isVisible(part) && (rightOf(part) > edge || isClipped(part)))
      .map((part) => part.tagName + ' ' + part.textContent),
  };
})`;

const WIDTHS = { phone: 390, laptop: 1024 } as const;

describe.each(['owner', 'operator'] as const)('lists for the %s', { timeout: 400_000 }, (who) => {
  async function look(width: number): Promise<SeenList[]> {
    const visit = await site.openAs(demo[who]);
    await visit.page.setViewportSize({ width, height: 800 });
    const seen: SeenList[] = [];
    for (const [route, labels] of Object.entries(PAGES[who])) {
      await visit.show(route.replace('$tenantId', demo.tenantId).replace('$jobId', jobId));
      const lists = await visit.page.evaluate<SeenList[]>(READ_LISTS);
      expect(lists.map(({ label }) => label)).toEqual(expect.arrayContaining([...labels]));
      seen.push(...lists);
      await visit.expectFit();
      await visit.expectUsable();
    }
    await visit.close();
    return seen;
  }

  it('are complete as cards on a phone', async () => {
    const lists = await look(WIDTHS.phone);
    expect(lists.filter(({ rows }) => rows === 0)).toEqual([]);
    expect(lists.map(({ names }) => names)).toEqual(lists.map(({ headers }) => headers));
    expect(lists.filter(({ cut }) => cut.length > 0)).toEqual([]);
  });

  it('show every column at a width of 1024 pixels', async () => {
    const lists = await look(WIDTHS.laptop);
    expect(lists.filter(({ cut }) => cut.length > 0)).toEqual([]);
  });
});

it.each([
  ['list of documents', 'documents', () => ''],
  ['list of a document’s lines', 'Lines in ringgit', () => `/${demo.documents.invalid}`],
])('the %s fits a window of 1280 pixels', async (_, name, toPage) => {
  const visit = await site.openAs(demo.owner);
  await visit.page.setViewportSize({ width: 1280, height: 800 });
  await visit.show(`/o/${demo.tenantId}/sandbox/transactions${toPage()}`);
  const frame = visit.page.getByRole('region', { name, exact: true });
  const { clientWidth, scrollWidth } = await frame.evaluate(({ clientWidth, scrollWidth }) => ({
    clientWidth,
    scrollWidth,
  }));
  expect(scrollWidth).toBe(clientWidth);
  await visit.close();
});
