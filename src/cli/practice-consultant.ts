/** `--set` that lets the practice agent be consulted, whatever the user's own config says about real ones. */
export const practiceConsultant = ['consult.backend=practice', 'consult.model=practice-script', 'consult.args=[]'];
