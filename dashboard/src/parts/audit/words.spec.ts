import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ORGANISATION_TOPICS, type Topic, TOPICS } from './search';
import { type Action, type AuditEntry, describeAction, describeFacts, listActions } from './words';

interface Description {
  readonly components: { schemas: { AuditEntryDto: { properties: { action: { enum: Action[] } } } } };
}

const { components } = JSON.parse(readFileSync('dashboard/openapi.json', 'utf8')) as Description;
const WRITTEN = components.schemas.AuditEntryDto.properties.action.enum;

function build(action: string, subject: string, details: AuditEntry['details'] = {}): AuditEntry {
  const entryId = '0197c1f0-0000-7000-8000-000000000000';
  const at = '2026-01-31T08:00:00.000Z';
  return { entryId, at, userId: null, actor: 'a@b.example', action: action as Action, subject, details, ip: null };
}

describe('audit log', () => {
  it('describes every action of the API and assigns it to one topic', () => {
    expect(WRITTEN.length).toBeGreaterThan(40);
    for (const action of WRITTEN) {
      const words = describeAction(build(action, 'SUBJECT', { documents: ['INV-1'], role: 'member', name: 'B' }));
      expect(words, action).not.toMatch(/[{}]|_/);
      expect(words, action).not.toContain(action);
    }
    const sorted = (Object.keys(TOPICS) as Topic[]).flatMap(listActions);
    expect([...sorted].sort()).toEqual([...WRITTEN].sort());
    expect(new Set(sorted).size).toBe(sorted.length);
    expect(ORGANISATION_TOPICS).not.toContain('accounts');
  });

  it.each([
    ['documents.submitted', '0197', { documents: ['INV-1', 'INV-2'], environment: 'sandbox' }, 'sent INV-1, INV-2'],
    ['document.cancellation_requested', '0197', { referenceId: 'INV-1' }, 'requested the cancellation of INV-1'],
    ['document.cancellation_requested', '0197', {}, 'requested the cancellation of 0197'],
    ['member.role_changed', 'b@c.example', { from: 'member', to: 'owner' }, 'changed the role of b@c.example'],
    ['tomorrow.invented', 'x', {}, 'tomorrow.invented: x'],
  ])('describes the action %s of %s with %j as "%s"', (action, subject, details, words) => {
    expect(describeAction(build(action, subject, details))).toBe(words);
  });

  it.each([
    [
      'organisation.profile_changed',
      { changes: { city: { from: null, to: 'Ipoh' }, tin: { from: 'C1', to: 'C2' } } },
      'City: empty → Ipoh; TIN: C1 → C2',
    ],
    ['member.role_changed', { from: 'member', to: 'owner', revokedInvitations: [] }, 'Role: member → owner'],
    ['key.created', { keyId: '0197', environment: 'sandbox', expiresAt: null }, 'Environment: sandbox'],
    ['key.revoked', { keyId: '0197', because: 'member.left' }, 'Because: left the organisation'],
    ['member.removed', { role: 'owner', revokedKeys: ['0197', '0198'], keptKeys: [] }, 'Role: owner; Keys revoked: 2'],
    ['file.downloaded', { filters: { status: 'Invalid' } }, 'Filters: status Invalid'],
    ['file.downloaded', { filters: { from: '2026-01-31' } }, 'Filters: from 31 Jan 2026'],
    ['file.downloaded', { filters: { transactionIds: '0197,0198' } }, 'Filters: selected documents 2'],
    ['order.requested', { orderId: '0197', credits: 1000, price: '1050.00' }, 'Credits: 1000; Price: RM 1,050.00'],
    ['user.session_ended', { from: '127.0.0.1', browser: 'Firefox' }, 'Browser: Firefox; From: 127.0.0.1'],
  ])('describes the details of %s: %j', (action, details, facts) => {
    expect(describeFacts(build(action, 'x', details))).toBe(facts);
  });
});
