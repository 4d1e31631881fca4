__constant__ long long numbers[3] = {4, 5, 6};
__constant__ char filler[65500] = {1};
