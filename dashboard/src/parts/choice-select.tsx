import { Select, type SelectProps } from '@mantine/core';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { type Choice, findNamed, readUnmatched, describeUnmatched, toUnmatched } from './unmatched';

export interface ChoiceSelectProps extends Omit<SelectProps, 'data' | 'filter' | 'searchValue' | 'onSearchChange'> {
  data: readonly Choice[];
  isSearching?: boolean;
  /** The server has searched, so every choice matches. */
  isFiltered?: boolean;
  /** Receives the typed text, or null when the field loses focus. */
  onType?: (text: string | null) => void;
}

/**
 * Select field that is searched by typing. A text that names a choice selects it when the field loses focus. Any other
 * text becomes the value with an error, and no form sends it (`findUnmatched`).
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
      // Filters even if the text is the label of the selected choice, because some lists are long.
      filter={() => offered}
      value={chosen}
      searchValue={text}
      error={refused ?? error}
      onChange={(_, option) => {
        type(null);
        change(option);
      }}
      onOptionSubmit={() => type(null)}
      // `onSearchChange` is also called without typing.
      onInput={({ currentTarget }) => {
        if (currentTarget === document.activeElement) type(currentTarget.value);
      }}
      onBlur={(event) => {
        finish();
        onBlur?.(event);
      }}
      // Handles keys after the list, which uses Enter to select the highlighted choice.
      wrapperProps={{
        onKeyDown: (event: KeyboardEvent) => {
          // The first Enter selects the choice, the next one submits the form.
          if (event.key === 'Enter' && !event.defaultPrevented && finish()) event.preventDefault();
        },
      }}
    />
  );
}

type ChoiceProps = Pick<ChoiceSelectProps, 'data' | 'isSearching' | 'isFiltered' | 'onType' | 'value' | 'onChange'>;

function useChoice({ data, isSearching, isFiltered, onType, value, onChange }: ChoiceProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const { chosen, unmatched } = readValue(value);
  const filter = (text: string | null) => (isFiltered === true ? data : data.filter((one) => offers(one, text)));
  const find = (text: string) => findNamed(text, data, isSearching === true ? [] : filter(text));
  const type = (text: string | null) => {
    setTyped(text);
    onType?.(text);
  };
  const change = (next: Choice | null) => {
    const code = next === null ? null : next.value;
    if (code !== (unmatched === null ? chosen : value)) onChange?.(code, next);
  };
  /** @returns Whether a text was typed */
  const finish = (): boolean => {
    const text = typed?.trim();
    if (text === undefined) return false;
    type(null);
    change(text === '' ? null : (find(text) ?? { value: toUnmatched(text), label: text }));
    return true;
  };
  // The choices may be loaded after the text was typed.
  const waiting = typed === null ? unmatched : null;
  const late = waiting === null ? null : find(waiting);
  useEffect(() => {
    if (late !== null) change(late);
    // Runs once per loaded choice.
    // eslint-disable-next-line react/exhaustive-deps
  }, [late?.value]);
  const text = typed ?? unmatched ?? data.find((one) => one.value === chosen)?.label ?? '';
  const refused = waiting === null || isSearching === true ? null : describeUnmatched(waiting);
  return { chosen, text, refused, offered: [...filter(typed)], type, change, finish };
}

/** An empty text of the form means no choice. */
function readValue(value: ChoiceSelectProps['value']) {
  const unmatched = readUnmatched(value);
  return { unmatched, chosen: unmatched !== null || value === undefined || value === '' ? null : value };
}

/** Matches the label and the code. Without a text, every choice matches. */
function offers({ label, value }: Choice, text: string | null): boolean {
  return text === null || `${label} ${value}`.toLowerCase().includes(text.trim().toLowerCase());
}
