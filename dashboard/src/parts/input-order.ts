/** Puts the description below the input so that adjacent inputs are aligned. */
export const INPUT_FIRST: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error'];
