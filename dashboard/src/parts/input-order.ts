/** What explains a field stands below it, so that fields side by side are level. */
export const INPUT_FIRST: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error'];
