export const signInTexts = {
  title: 'Sign in',
  hint: 'You sign in with a link that works once. Make one on the machine of the server, in the folder of Quire:',
  command: 'npx quire dashboard link',
  memberHint: 'Members of an organization get their link from an operator, or from a colleague on the page People.',
  documentation: 'Read the documentation',
  confirm: (name: string, organization: string | null) =>
    organization === null ? `Sign in as ${name}, for all organizations` : `Sign in as ${name} of ${organization}`,
  confirmHint: 'The link works once. You stay signed in for 7 days at most, and for 12 hours without a visit.',
  button: 'Sign in',
  ended: 'You are no longer signed in: your session has ended.',
  endedForm: 'What you sent was not saved.',
  refused: 'This link no longer works. It was used, or it is older than 15 minutes.',
  noOrganization: 'There is no organization yet',
  noOrganizationHint: 'Create the first one on the machine of the server:',
  noOrganizationCommand: 'npx quire orgs create "Example" --plan enterprise',
}
