import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type CallFailure, asFailure } from '../../api/errors';
import { sessionQuery } from '../../api/session';
import { createIdempotencyKey } from '../idempotency-key';
import {
  type Attempt,
  buildDraftName,
  type Draft,
  fitValues,
  readDraft,
  removeDraft,
  writeDraft,
} from './stored-draft';

/** Relation between the form and its stored draft. */
export type DraftStatus<Values> =
  | { kind: 'none' }
  | { kind: 'kept'; savedAt: number }
  | { kind: 'restored'; savedAt: number; ageMs: number }
  /** The stored draft differs from the form. Changes are not saved until the user decides. */
  | { kind: 'undecided'; savedAt: number; why: 'other tab' | 'other basis' }
  /** Another tab has sent or discarded the draft. */
  | { kind: 'gone' }
  | { kind: 'discarded'; values: Values };

interface DraftOptions<Values> {
  /** Identifies the form, organisation and environment. Constant while the form is mounted. */
  scope: readonly string[];
  values: Values;
  /** Values of the form without a draft. */
  initial: Values;
  onRestore: (values: Values) => void;
  /** Describes the data that the initial values are based on, if it can change. */
  basis?: string;
  /** Disables drafts for a read-only form. */
  isOff?: boolean;
}

export interface DraftControl<Values> {
  status: DraftStatus<Values>;
  /** Request with an unknown outcome. The form is read-only until it is known. */
  doubt: Attempt | null;
  /** Whether the user must first decide which draft to keep. */
  isLocked: boolean;
  /** Sends the form at most once: retries use the same key until the outcome is known. */
  send: <Response>(body: string, call: (idempotencyKey: string) => Promise<Response>) => Promise<Response>;
  /** Deletes the draft. The form now shows `values`. */
  finish: (values: Values) => void;
  discard: () => void;
  undoDiscard: () => void;
  takeStored: () => void;
  keepShown: () => void;
  /** Discards the key of the request with an unknown outcome. */
  endDoubt: () => void;
}

/** Saves the input of a form in the browser and restores it. Asks before it overwrites the draft of another tab. */
export function useDraft<Values>(options: DraftOptions<Values>): DraftControl<Values> {
  const { initial, onRestore } = options;
  const store = useDraftStore(options);
  const { name, status, setStatus, doubt, attempt, latest } = store;
  // Saving precedes restoring, so that the first save sees the initial values.
  useSaving(store, options);
  useRestoring(store, options);
  const isLocked = isUndecided(status);

  const settle = (failure: CallFailure) => {
    if (attempt.current !== null && isUnknown(failure, doubt !== null)) store.setDoubt(attempt.current);
    else store.endAttempt();
    if (store.isOwn()) store.save();
  };
  return {
    status,
    doubt,
    isLocked,
    send: async (body, call) => {
      const { idempotencyKey } = store.beginAttempt(body);
      try {
        const response = await call(idempotencyKey);
        if (store.isOwn()) store.forget(latest.current.text);
        return response;
      } catch (error) {
        settle(asFailure(error));
        throw error;
      }
    },
    finish: (shown) => store.forget(JSON.stringify(shown)),
    discard: () => {
      const stored = isLocked ? readDraft(name) : null;
      const values = stored === null ? latest.current.values : fitValues(initial, stored.values);
      store.forget(JSON.stringify(initial));
      setStatus({ kind: 'discarded', values });
      store.show(initial);
    },
    undoDiscard: () => {
      if (status.kind === 'discarded') onRestore(status.values);
    },
    takeStored: () => {
      const stored = readDraft(name);
      if (stored === null) setStatus({ kind: 'gone' });
      else store.take(stored);
    },
    keepShown: () => {
      store.endAttempt();
      store.save();
    },
    endDoubt: () => {
      store.endAttempt();
      if (store.isOwn()) store.save();
    },
  };
}

type DraftStore<Values> = ReturnType<typeof useDraftStore<Values>>;

function useDraftStore<Values>({ scope, values, initial, onRestore, basis = '' }: DraftOptions<Values>) {
  const userId = useQueryClient().getQueryData(sessionQuery.queryKey)?.user.userId ?? '';
  const name = buildDraftName(userId, scope);
  const text = JSON.stringify(values);
  const [status, setStatus] = useState<DraftStatus<Values>>({ kind: 'none' });
  const [doubt, setDoubt] = useState<Attempt | null>(null);
  // Last draft that this tab saved or read. Without a draft, `text` is the initial form.
  const known = useRef<{ revision: string | null; text: string }>({ revision: null, text });
  const attempt = useRef<Attempt | null>(null);
  // Text of the form until a restored draft is rendered. It must not be saved.
  const replaced = useRef<string | null>(null);
  // Current values for asynchronous callbacks.
  const latest = useRef({ values, text });
  useEffect(() => {
    latest.current = { values, text };
  });

  const show = (shown: Values) => {
    replaced.current = latest.current.text;
    known.current.text = JSON.stringify(shown);
    onRestore(shown);
  };
  const endAttempt = () => {
    attempt.current = null;
    setDoubt(null);
  };
  const take = (draft: Draft) => {
    known.current.revision = draft.revision;
    attempt.current = draft.attempt;
    setDoubt(draft.attempt);
    setStatus({ kind: 'restored', savedAt: draft.savedAt, ageMs: Date.now() - draft.savedAt });
    show(fitValues(initial, draft.values));
  };
  /** Whether the stored draft is from this tab. Otherwise the user is asked. */
  const isOwn = (): boolean => {
    const stored = readDraft(name);
    if ((stored?.revision ?? null) === known.current.revision) return true;
    setStatus(stored === null ? { kind: 'gone' } : { kind: 'undecided', savedAt: stored.savedAt, why: 'other tab' });
    return false;
  };
  const save = () => {
    const [revision, savedAt] = [createIdempotencyKey(), Date.now()];
    writeDraft(name, { revision, savedAt, basis, values: latest.current.values, attempt: attempt.current });
    known.current = { revision, text: latest.current.text };
    setStatus((now) => (now.kind === 'restored' ? now : { kind: 'kept', savedAt }));
  };
  /** Saves the key before the request is sent, so that a closed tab does not lose it. */
  const beginAttempt = (body: string): Attempt => {
    const last = attempt.current;
    const next = last?.body === body ? last : { body, idempotencyKey: createIdempotencyKey(), at: Date.now() };
    attempt.current = next;
    if (isOwn()) save();
    return next;
  };
  const forget = (shownText: string) => {
    removeDraft(name);
    known.current = { revision: null, text: shownText };
    endAttempt();
    setStatus({ kind: 'none' });
  };
  const state = { name, text, status, setStatus, doubt, setDoubt, known, attempt, replaced, latest };
  return { ...state, show, beginAttempt, endAttempt, take, isOwn, save, forget };
}

function useRestoring<Values>(store: DraftStore<Values>, { basis = '', isOff = false }: DraftOptions<Values>): void {
  const { name, known } = store;
  useEffect(() => {
    const stored = isOff ? null : readDraft(name);
    if (stored === null) return;
    if (stored.basis === basis) store.take(stored);
    else store.setStatus({ kind: 'undecided', savedAt: stored.savedAt, why: 'other basis' });
    // Runs once per form.
    // eslint-disable-next-line react/exhaustive-deps
  }, [name]);
  useEffect(() => {
    // A form without a draft has nothing that another tab could overwrite.
    const onStorage = (event: StorageEvent) => {
      if (event.key === name && known.current.revision !== null) store.isOwn();
    };
    addEventListener('storage', onStorage);
    return () => removeEventListener('storage', onStorage);
    // eslint-disable-next-line react/exhaustive-deps
  }, [name]);
}

function useSaving<Values>(store: DraftStore<Values>, { initial, isOff = false }: DraftOptions<Values>): void {
  const { text, known, replaced, status } = store;
  useEffect(() => {
    if (isOff || replaced.current === text) return;
    replaced.current = null;
    if (text === known.current.text || isUndecided(status) || !store.isOwn()) return;
    if (text === JSON.stringify(initial)) store.forget(text);
    else store.save();
    // Runs only for a changed text.
    // eslint-disable-next-line react/exhaustive-deps
  }, [text]);
}

function isUndecided({ kind }: DraftStatus<unknown>): boolean {
  return kind === 'undecided' || kind === 'gone';
}

// Statuses that the service returns before it checks the idempotency key.
const UNDECIDING: readonly number[] = [401, 403, 404, 408, 429];

/** Whether the request may have been accepted despite the failure. */
function isUnknown({ status, code }: CallFailure, wasInDoubt: boolean): boolean {
  if (status === 0 || status >= 500 || code === 'unreadable_response') return true;
  return code === 'idempotency_key_in_progress' || (wasInDoubt && UNDECIDING.includes(status));
}
