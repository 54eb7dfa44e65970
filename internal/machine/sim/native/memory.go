package native

// canExecute asks the system whether it lets memory be executed.
func canExecute() bool {
	text := executable([]byte{0, 0, 0, 0})
	if text == nil {
		return false
	}
	release(text)
	return true
}
