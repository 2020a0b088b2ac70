// Imports nothing: it must be there before anything else is loaded, which takes most of a second.
let toggle: (() => void) | null = null;
let isWanted = false;

// Without a listener the signal ends the process.
process.on('SIGUSR2', () => {
  if (toggle === null) isWanted = !isWanted;
  else toggle();
});

/** What the signal SIGUSR2 does from now on, and immediately if it came before. */
export function onLogSignal(switchLevel: () => void): void {
  toggle = switchLevel;
  if (isWanted) toggle();
}
