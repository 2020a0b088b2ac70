import type { ComponentProps, MouseEvent } from 'react';

interface SteadyButtonProps extends ComponentProps<'button'> {
  'data-loading'?: boolean;
}

/**
 * Base element of all buttons. While loading, or with `aria-disabled`, it ignores clicks but keeps the focus, unlike a
 * disabled button.
 */
export function SteadyButton({ type = 'button', disabled, onClick, ...props }: SteadyButtonProps) {
  const isLoading = props['data-loading'] === true;
  const isIdle = isLoading || props['aria-disabled'] === true;
  // Also prevents a submit by Enter in a field.
  const refuse = (event: MouseEvent) => event.preventDefault();
  return (
    <button
      {...props}
      type={type}
      disabled={disabled === true && !isLoading}
      aria-disabled={isIdle || undefined}
      aria-busy={isLoading || undefined}
      onClick={isIdle ? refuse : onClick}
    />
  );
}
