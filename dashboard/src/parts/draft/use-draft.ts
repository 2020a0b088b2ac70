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

/** How the form and what is stored of it belong together. */
export type Standing<Values> =
  | { kind: 'none' }
  | { kind: 'kept'; savedAt: number }
  | { kind: 'restored'; savedAt: number; ageMs: number }
  /** What is stored is not what the form shows; nothing is stored until a person has chosen. */
  | { kind: 'undecided'; savedAt: number; why: 'other tab' | 'other basis' }
  /** Another tab has sent or discarded the draft that this form shows. */
  | { kind: 'gone' }
  | { kind: 'discarded'; values: Values };

interface DraftOptions<Values> {
  /** Which form of which organisation and environment it is; it does not change as long as the form is mounted. */
  scope: readonly string[];
  values: Values;
  /** The values of the form without a draft. */
  initial: Values;
  onRestore: (values: Values) => void;
  /** What the initial values were made from, when somebody else may change it. */
  basis?: string;
  /** Nothing is kept of a form that cannot be filled in. */
  isOff?: boolean;
}

export interface DraftControl<Values> {
  standing: Standing<Values>;
  /** The send whose outcome is not known; until it is, the form stays as it was sent. */
  doubt: Attempt | null;
  /** Whether a person has to choose first what becomes of the form. */
  isLocked: boolean;
  /** Sends the form once, however often it is tried: the same request keeps its key until its outcome is known. */
  send: <Response>(body: string, call: (idempotencyKey: string) => Promise<Response>) => Promise<Response>;
  /** The draft has served its purpose; the form now shows `values`. */
  finish: (values: Values) => void;
  discard: () => void;
  undoDiscard: () => void;
  takeStored: () => void;
  keepShown: () => void;
  /** Gives up the key of the send in doubt. */
  endDoubt: () => void;
}

/**
 * Keeps what is typed into a form in the browser, and restores it. The tab that is to save over another tab's work asks
 * first.
 */
export function useDraft<Values>(options: DraftOptions<Values>): DraftControl<Values> {
  const { initial, onRestore } = options;
  const store = useDraftStore(options);
  const { name, standing, setStanding, doubt, attempt, latest } = store;
  // In this order: what is restored is shown after the first look at what the form shows.
  useSaving(store, options);
  useRestoring(store, options);
  const isLocked = isUndecided(standing);

  const settle = (failure: CallFailure) => {
    if (attempt.current !== null && isUnknown(failure, doubt !== null)) store.setDoubt(attempt.current);
    else store.endAttempt();
    if (store.isOwn()) store.save();
  };
  return {
    standing,
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
      setStanding({ kind: 'discarded', values });
      store.show(initial);
    },
    undoDiscard: () => {
      if (standing.kind === 'discarded') onRestore(standing.values);
    },
    takeStored: () => {
      const stored = readDraft(name);
      if (stored === null) setStanding({ kind: 'gone' });
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

/** What this tab knows of the draft, and what it can do with it. */
function useDraftStore<Values>({ scope, values, initial, onRestore, basis = '' }: DraftOptions<Values>) {
  const userId = useQueryClient().getQueryData(sessionQuery.queryKey)?.user.userId ?? '';
  const name = buildDraftName(userId, scope);
  const text = JSON.stringify(values);
  const [standing, setStanding] = useState<Standing<Values>>({ kind: 'none' });
  const [doubt, setDoubt] = useState<Attempt | null>(null);
  // What this tab has stored or read last; of no draft, what the form showed then.
  const known = useRef<{ revision: string | null; text: string }>({ revision: null, text });
  const attempt = useRef<Attempt | null>(null);
  // What the form shows until it shows what was restored: nothing to store.
  const replaced = useRef<string | null>(null);
  // For what comes back later than the form was rendered.
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
    setStanding({ kind: 'restored', savedAt: draft.savedAt, ageMs: Date.now() - draft.savedAt });
    show(fitValues(initial, draft.values));
  };
  /** Whether what is stored is this tab's; if not, its user is asked. */
  const isOwn = (): boolean => {
    const stored = readDraft(name);
    if ((stored?.revision ?? null) === known.current.revision) return true;
    setStanding(stored === null ? { kind: 'gone' } : { kind: 'undecided', savedAt: stored.savedAt, why: 'other tab' });
    return false;
  };
  const save = () => {
    const [revision, savedAt] = [createIdempotencyKey(), Date.now()];
    writeDraft(name, { revision, savedAt, basis, values: latest.current.values, attempt: attempt.current });
    known.current = { revision, text: latest.current.text };
    setStanding((now) => (now.kind === 'restored' ? now : { kind: 'kept', savedAt }));
  };
  /** Before it is sent: a tab that is closed now does not lose the key. */
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
    setStanding({ kind: 'none' });
  };
  const state = { name, text, standing, setStanding, doubt, setDoubt, known, attempt, replaced, latest };
  return { ...state, show, beginAttempt, endAttempt, take, isOwn, save, forget };
}

/** Restores the draft when the form is opened, and notices what other tabs do with it. */
function useRestoring<Values>(store: DraftStore<Values>, { basis = '', isOff = false }: DraftOptions<Values>): void {
  const { name, known } = store;
  useEffect(() => {
    const stored = isOff ? null : readDraft(name);
    if (stored === null) return;
    if (stored.basis === basis) store.take(stored);
    else store.setStanding({ kind: 'undecided', savedAt: stored.savedAt, why: 'other basis' });
    // Once for each form.
    // eslint-disable-next-line react/exhaustive-deps
  }, [name]);
  useEffect(() => {
    // A form without a draft holds nothing that another tab could overwrite.
    const onStorage = (event: StorageEvent) => {
      if (event.key === name && known.current.revision !== null) store.isOwn();
    };
    addEventListener('storage', onStorage);
    return () => removeEventListener('storage', onStorage);
    // eslint-disable-next-line react/exhaustive-deps
  }, [name]);
}

/** Stores what is typed, when it is typed. */
function useSaving<Values>(store: DraftStore<Values>, { initial, isOff = false }: DraftOptions<Values>): void {
  const { text, known, replaced, standing } = store;
  useEffect(() => {
    if (isOff || replaced.current === text) return;
    replaced.current = null;
    if (text === known.current.text || isUndecided(standing) || !store.isOwn()) return;
    if (text === JSON.stringify(initial)) store.forget(text);
    else store.save();
    // Only a changed text.
    // eslint-disable-next-line react/exhaustive-deps
  }, [text]);
}

function isUndecided({ kind }: Standing<unknown>): boolean {
  return kind === 'undecided' || kind === 'gone';
}

// What the service decides before it looks whether the request has arrived already.
const UNDECIDING: readonly number[] = [401, 403, 404, 408, 429];

/** Whether the request may have been accepted nevertheless: no response came, or one that says nothing about it. */
function isUnknown({ status, code }: CallFailure, wasInDoubt: boolean): boolean {
  if (status === 0 || status >= 500 || code === 'unreadable_response') return true;
  return code === 'idempotency_key_in_progress' || (wasInDoubt && UNDECIDING.includes(status));
}
