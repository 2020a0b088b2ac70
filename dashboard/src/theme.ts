import { type CSSVariablesResolver, createTheme } from '@mantine/core';
import { SteadyButton } from './parts/steady-button';

const OPTIONS_HEIGHT = 220;

export const theme = createTheme({
  primaryColor: 'indigo',
  // Both shades keep white text on a filled button above 4.5:1.
  primaryShade: 8,
  respectReducedMotion: true,
  defaultRadius: 'sm',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  components: {
    Button: { defaultProps: { component: SteadyButton } },
    ActionIcon: { defaultProps: { component: SteadyButton } },
    Modal: { defaultProps: { centered: true, closeButtonProps: { 'aria-label': 'Close' } } },
    // Else it is a second banner of the page.
    ModalHeader: { defaultProps: { role: 'none' } },
    // Choices are part of their landmark, and the list itself scrolls, which the arrow keys of its input do.
    Combobox: {
      defaultProps: { withinPortal: false },
      styles: { options: { maxHeight: OPTIONS_HEIGHT, overflowY: 'auto' } },
    },
    // In Mantine's own a link in the dark scheme stays below 4.5:1.
    Table: {
      defaultProps: { highlightOnHoverColor: 'light-dark(var(--mantine-color-gray-1), var(--mantine-color-dark-6))' },
    },
    Select: { defaultProps: { withScrollArea: false } },
    // The words have the text's own colour, so that they are readable in both schemes; only icon and frame are
    // coloured.
    Alert: { styles: { title: { color: 'var(--mantine-color-text)' } } },
  },
  headings: { fontWeight: '600', sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.15rem' } } },
});

/** Mantine's own dimmed, placeholder and error colours stay below 4.5:1 on its backgrounds. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-placeholder': 'var(--mantine-color-gray-7)',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
  },
  dark: {
    '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
    '--mantine-color-placeholder': 'var(--mantine-color-dark-1)',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
  },
});
