import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { fillDemo } from './demo-organisation.js';
import { Site } from './site.js';

// Image size in docs/.
const BYTES_MAX = 150_000;
const WINDOW = { width: 1280, height: 720 };
const FOLDER = path.resolve('docs/screenshots');

it('takes screenshots of the main pages', async () => {
  const site = await Site.start({ environments: ['sandbox', 'production'] });
  try {
    const { tenantId, owner, operator, documents } = await fillDemo(site.service);
    const basePath = `/o/${tenantId}/sandbox`;
    const pictures = [
      { name: 'overview', email: owner, path: `${basePath}/overview` },
      { name: 'documents', email: owner, path: `${basePath}/transactions` },
      { name: 'invalid-document', email: owner, path: `${basePath}/transactions/${documents.invalid}` },
      { name: 'credits', email: owner, path: `/o/${tenantId}/credits` },
      { name: 'operator-queue', email: operator, path: '/operator/queue' },
      {
        name: 'overview-phone-dark',
        email: owner,
        path: `${basePath}/overview`,
        looks: { isPhone: true, isDark: true },
      },
    ];
    await mkdir(FOLDER, { recursive: true });
    for (const { name, email, path: address, looks = {} } of pictures) {
      const visit = await site.open('/sign-in', looks);
      if (!('isPhone' in looks)) await visit.page.setViewportSize(WINDOW);
      await visit.signIn(email);
      await visit.go(address);
      await visit.waitUntilSettled();
      const picture = await visit.page.screenshot({ path: path.join(FOLDER, `${name}.png`) });
      expect(picture.length, name).toBeLessThanOrEqual(BYTES_MAX);
      await visit.close();
    }
  } finally {
    await site.stop();
  }
});
