import { Select, type SelectProps } from '@mantine/core';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { type Choice, findNamed, readUnchosen, refuseUnchosen, toUnchosen } from './unchosen';

export interface ChoiceSelectProps extends Omit<SelectProps, 'data' | 'filter' | 'searchValue' | 'onSearchChange'> {
  data: readonly Choice[];
  /** Whether the choices for what is typed are still on their way. */
  isSearching?: boolean;
  /** The service has searched: each choice is offered, whatever its label. */
  isFiltered?: boolean;
  /** What is being typed; null once the field was left. */
  onType?: (text: string | null) => void;
}

/**
 * One of some choices, found by typing. A text that names one of them chooses it when the field is left; any other stays
 * with an error, as the value that `findUnchosen` finds: what the field shows is what is sent, or nothing is.
 */
export function ChoiceSelect(props: ChoiceSelectProps) {
  const { data, isSearching, isFiltered, onType, value, onChange, onBlur, error, ...others } = props;
  const { chosen, text, refused, offered, type, change, finish } = useChoice({
    data,
    isSearching,
    isFiltered,
    onType,
    value,
    onChange,
  });
  return (
    <Select
      {...others}
      searchable
      data={data}
      // By what is typed, also when that is the label of the choice: some lists are long.
      filter={() => offered}
      value={chosen}
      searchValue={text}
      error={refused ?? error}
      onChange={(_, option) => {
        type(null);
        change(option);
      }}
      onOptionSubmit={() => type(null)}
      // Not `onSearchChange`, which is called without typing too.
      onInput={({ currentTarget }) => {
        if (currentTarget === document.activeElement) type(currentTarget.value);
      }}
      onBlur={(event) => {
        finish();
        onBlur?.(event);
      }}
      // Around the field: by then the list has taken the key for the choice that the arrows have led to.
      wrapperProps={{
        onKeyDown: (event: KeyboardEvent) => {
          // It chooses; the next one sends the form.
          if (event.key === 'Enter' && !event.defaultPrevented && finish()) event.preventDefault();
        },
      }}
    />
  );
}

type ChoiceProps = Pick<ChoiceSelectProps, 'data' | 'isSearching' | 'isFiltered' | 'onType' | 'value' | 'onChange'>;

/** What is chosen and what the field shows, and how what is typed becomes a choice. */
function useChoice({ data, isSearching, isFiltered, onType, value, onChange }: ChoiceProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const { chosen, unchosen } = readValue(value);
  const filter = (text: string | null) => (isFiltered === true ? data : data.filter((one) => offers(one, text)));
  const find = (text: string) => findNamed(text, data, isSearching === true ? [] : filter(text));
  const type = (text: string | null) => {
    setTyped(text);
    onType?.(text);
  };
  const change = (next: Choice | null) => {
    const code = next === null ? null : next.value;
    if (code !== (unchosen === null ? chosen : value)) onChange?.(code, next);
  };
  /** @returns whether something was typed */
  const finish = (): boolean => {
    const text = typed?.trim();
    if (text === undefined) return false;
    type(null);
    change(text === '' ? null : (find(text) ?? { value: toUnchosen(text), label: text }));
    return true;
  };
  // The choices may come later than what is typed.
  const waiting = typed === null ? unchosen : null;
  const late = waiting === null ? null : find(waiting);
  useEffect(() => {
    if (late !== null) change(late);
    // Once for each choice that has come.
    // eslint-disable-next-line react/exhaustive-deps
  }, [late?.value]);
  const text = typed ?? unchosen ?? data.find((one) => one.value === chosen)?.label ?? '';
  const refused = waiting === null || isSearching === true ? null : refuseUnchosen(waiting);
  return { chosen, text, refused, offered: [...filter(typed)], type, change, finish };
}

/** A form's empty text is no choice: nothing is there to be cleared. */
function readValue(value: ChoiceSelectProps['value']) {
  const unchosen = readUnchosen(value);
  return { unchosen, chosen: unchosen !== null || value === undefined || value === '' ? null : value };
}

/** A choice is found by its code too; as long as nothing is typed, each is offered. */
function offers({ label, value }: Choice, text: string | null): boolean {
  return text === null || `${label} ${value}`.toLowerCase().includes(text.trim().toLowerCase());
}
