import { Button, Group, Text } from '@mantine/core';
import type { CSSProperties, ReactNode } from 'react';
import { formatDuration } from '../format';
import { formatMalaysianTime } from '../malaysian-time';
import { Notice } from '../notice';
import type { DraftControl } from './use-draft';

const OLD_MS = 24 * 3_600_000;

/** Stays visible while the page scrolls because input is not saved until the user decides. */
const STICKY: CSSProperties = {
  position: 'sticky',
  top: 'calc(var(--app-shell-header-height, 0px) + 8px)',
  zIndex: 1,
  background: 'var(--mantine-color-body)',
};

interface DraftNoticeProps<Values> {
  draft: DraftControl<Values>;
  /** Sends the unchanged form again. */
  onSendAgain?: () => void;
  /** A draft cannot be discarded while it is being sent. */
  isSending?: boolean;
}

/** Shows the origin and age of a draft and how to discard it. */
export function DraftNotice<Values>({ draft, onSendAgain, isSending = false }: DraftNoticeProps<Values>) {
  const { status, doubt } = draft;
  if (status.kind === 'undecided') return <Undecided draft={draft} {...status} />;
  if (status.kind === 'gone') {
    return (
      <Decision
        title="Sent or discarded in another tab"
        text="This form was sent or discarded in another tab of this browser. Your changes are no longer kept."
      >
        <Choice label="Clear this form" onClick={draft.discard} />
        <Choice label="Continue with this form" onClick={draft.keepShown} />
      </Decision>
    );
  }
  if (doubt !== null && onSendAgain !== undefined) {
    return (
      <Notice kind="warning" title="It is unknown whether this has arrived">
        <Text size="sm" mb="xs">
          It was sent on {formatTime(doubt.at)}, but there was no response. Send it again unchanged: if it has arrived,
          it is neither sent nor charged twice. Change it only if it is not under “Batches”.
        </Text>
        <Group gap="xs">
          <Button size="xs" onClick={onSendAgain}>
            Send it again
          </Button>
          <Choice label="Change it" onClick={draft.endDoubt} />
        </Group>
      </Notice>
    );
  }
  if (status.kind === 'restored') return <Restored {...status} isSending={isSending} onDiscard={draft.discard} />;
  return null;
}

/** Shows next to the submit button whether the input is saved. */
export function DraftState<Values>({ draft }: { draft: DraftControl<Values> }) {
  const { status } = draft;
  return (
    <Group gap="xs" mih={30} aria-live="polite">
      {status.kind === 'kept' && (
        <>
          <Text size="xs" c="dimmed">
            Draft kept in this browser
          </Text>
          <Button size="compact-xs" variant="default" onClick={draft.discard}>
            Discard the draft
          </Button>
        </>
      )}
      {status.kind === 'discarded' && (
        <>
          <Text size="xs" c="dimmed">
            Draft discarded
          </Text>
          <Button size="compact-xs" variant="default" onClick={draft.undoDiscard}>
            Undo
          </Button>
        </>
      )}
    </Group>
  );
}

interface RestoredProps {
  savedAt: number;
  ageMs: number;
  isSending: boolean;
  onDiscard: () => void;
}

function Restored({ savedAt, ageMs, isSending, onDiscard }: RestoredProps) {
  return (
    <Notice kind={ageMs > OLD_MS ? 'warning' : 'info'} title="Your draft is back">
      <Text size="sm" mb="xs">
        It was typed {formatDuration(ageMs / 1_000)} ago, on {formatTime(savedAt)}, and has not been sent.
        {ageMs > OLD_MS && ' Check its dates, prices and addresses before you go on.'}
      </Text>
      <Choice label="Discard the draft" isDisabled={isSending} onClick={onDiscard} />
    </Notice>
  );
}

interface UndecidedProps<Values> {
  draft: DraftControl<Values>;
  savedAt: number;
  why: 'other tab' | 'other basis';
}

function Undecided<Values>({ draft, savedAt, why }: UndecidedProps<Values>) {
  return why === 'other tab' ? (
    <Decision
      title="Changed in another tab"
      text={`Another tab of this browser saved another draft of this form on ${formatTime(savedAt)}. The changes in this tab are not kept until you choose.`}
    >
      <Choice label="Show the other tab’s draft" onClick={draft.takeStored} />
      <Choice label="Continue with this form" onClick={draft.keepShown} />
    </Decision>
  ) : (
    <Decision
      title="There is an older draft"
      text={`It was typed on ${formatTime(savedAt)}. The data that it is based on has changed since then. The draft still has the earlier values.`}
    >
      <Choice label="Show the draft" onClick={draft.takeStored} />
      <Choice label="Discard the draft" onClick={draft.discard} />
    </Decision>
  );
}

function Decision({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <div style={STICKY}>
      <Notice kind="warning" title={title}>
        <Text size="sm" mb="xs">
          {text}
        </Text>
        <Group gap="xs">{children}</Group>
      </Notice>
    </div>
  );
}

function Choice({ label, isDisabled, onClick }: { label: string; isDisabled?: boolean; onClick: () => void }) {
  return (
    <Button size="xs" variant="default" disabled={isDisabled} onClick={onClick}>
      {label}
    </Button>
  );
}

function formatTime(instant: number): string {
  return formatMalaysianTime(new Date(instant).toISOString());
}
