print("staffbook")
