/** Texts of fields that choose a project. */
export const projectChoiceTexts = {
  project: 'Project',
  another: 'Choose another project',
  typedHint: 'Its name or its id, as in the list of projects.',
}
