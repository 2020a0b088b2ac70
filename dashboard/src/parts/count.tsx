export function Count({ value, isChange = false }: { value: number; isChange?: boolean }) {
  const text = value.toLocaleString('en', { signDisplay: isChange ? 'exceptZero' : 'auto' });
  return <span style={{ fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' }}>{text}</span>;
}
